import { describe, expect, it } from 'vitest';
import { TargetPolicy } from './target-address.js';

const resolvingTo = (...addresses: string[]) => new TargetPolicy([], async () => addresses);

const HOSTILE = [
  'http://127.0.0.1/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://2130706433/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/',
  'https://100.64.0.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://192.0.2.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd12::1]/',
  'https://[ff02::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::1]/',
  'https://[::127.0.0.1]/',
  'https://[2001:db8::1]/',
  'https://user:pw@example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'http://example.com/',
  'example.com',
  '',
  '//example.com',
  `https://example.com/${'x'.repeat(1000)}`,
  'https://1.1.1.1%00@127.0.0.1/',
  'https://[::ffff:10.0.0.1]/',
  'https://①②⑦.⓪.⓪.①/',
];

describe('webhook targets', () => {
  it.each(HOSTILE)('rejects %s', async (url) => {
    const policy = resolvingTo('93.184.215.14');
    expect(policy.checkUrl(url)).toBeTypeOf('string');
    expect(await policy.find(url)).toHaveProperty('problem');
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '::1',
    '::ffff:192.168.0.1',
    'fe80::1',
    '64:ff9b::a00:1',
    '169.254.169.254',
  ])('rejects a name that resolves to %s, alone or beside a public address', async (address) => {
    expect(await resolvingTo(address).find('https://hooks.example.com/')).toHaveProperty('problem');
    expect(await resolvingTo('93.184.215.14', address).find('https://hooks.example.com/')).toHaveProperty(
      'problem',
    );
  });

  it('allows a public address, resolved once and pinned', async () => {
    let asked = 0;
    const policy = new TargetPolicy([], async () => {
      asked += 1;
      return [asked === 1 ? '93.184.215.14' : '127.0.0.1'];
    });
    expect(await policy.find('https://hooks.example.com/in')).toMatchObject({
      address: '93.184.215.14',
      family: 4,
    });
    expect(asked).toBe(1);
  });

  it('allows a network configured by the operator, also without TLS', async () => {
    const policy = new TargetPolicy(['127.0.0.0/8']);
    expect(await policy.find('http://127.0.0.1:9000/hook')).toMatchObject({ address: '127.0.0.1' });
    expect(policy.checkUrl('http://10.0.0.1/')).toBeTypeOf('string');
    expect(policy.checkUrl('http://hooks.example.com/')).toBeTypeOf('string');
  });
});
