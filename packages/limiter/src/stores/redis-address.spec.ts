import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRedisUrl, connectionOptions } from '../redis/connection.js';
import { parseRedisUrl, type RedisAddress } from './redis-address.js';

const HOST = fc.constantFrom('localhost', 'redis_1', 'a.example.com', '10.0.0.1', '::1', 'fe80::1:2');
const SECRET = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const KINDS = ['server', 'sentinel', 'cluster'] as const;

/** An address, and its text. */
const addresses = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    hosts: fc.array(fc.record({ host: HOST, port: fc.integer({ min: 1, max: 65_535 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
    master: SECRET,
    database: fc.nat(15),
    username: SECRET,
    password: SECRET,
    servername: fc.option(SECRET, { nil: undefined }),
    isTls: fc.boolean(),
    sentinelPassword: SECRET,
  })
  .map(({ kind, hosts, servername, isTls, sentinelPassword, ...of }) => {
    const address: RedisAddress = {
      kind,
      hosts: kind === 'server' ? hosts.slice(0, 1) : hosts,
      master: kind === 'sentinel' ? of.master : '',
      database: kind === 'cluster' ? 0 : of.database,
      username: of.username,
      password: of.password,
      ...(kind === 'sentinel' ? { sentinelPassword } : {}),
      ...(isTls ? { tls: servername === undefined ? {} : { servername } } : {}),
    };
    return { address, text: textOf(address) };
  });

function textOf({ kind, hosts, master, database, tls, ...of }: RedisAddress): string {
  const encode = (text = '') => encodeURIComponent(text);
  const scheme = `redis${tls ? 's' : ''}${kind === 'server' ? '' : `-${kind}`}`;
  const list = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
  const path = [...(kind === 'sentinel' ? [encode(master)] : []), ...(kind === 'cluster' ? [] : [database])];
  const parameters = [
    ...(tls?.servername === undefined ? [] : [`servername=${encode(tls.servername)}`]),
    ...(of.sentinelPassword === undefined ? [] : [`sentinelPassword=${encode(of.sentinelPassword)}`]),
  ];
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `${scheme}://${encode(of.username)}:${encode(of.password)}@${list}/${path.join('/')}${query}`;
}

describe('Redis address', () => {
  it('returns every part of an address', () => {
    fc.assert(
      fc.property(addresses, ({ address, text }) => {
        expect(parseRedisUrl(text)).toEqual(address);
      }),
    );
  });

  it('parses or rejects any text, and never repeats a part of it', () => {
    const secret = fc.stringMatching(/^[A-Z0-9@:/?#%,[\]&=]{0,4}S3CRET[A-Z0-9@:/?#%,[\]&=]{0,4}$/);
    const texts = fc.oneof(
      fc.tuple(addresses, secret).map(([{ text }, found]) => text.replace(/:[^@/]*@/, `:${found}@`)),
      fc.tuple(addresses, fc.nat(), secret).map(([{ text }, at, found]) => {
        const place = at % text.length;
        return text.slice(0, place) + found + text.slice(place + 3);
      }),
      secret,
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseRedisUrl(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect((error as Error).message).not.toContain('S3CRET');
          expect((error as Error).name).toBe('Error');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('has default ports', () => {
    const hostOf = (text: string) => parseRedisUrl(text).hosts;
    expect(hostOf(' redis://localhost ')).toEqual([{ host: 'localhost', port: 6379 }]);
    expect(hostOf('redis-cluster://a,b:7')).toEqual([
      { host: 'a', port: 6379 },
      { host: 'b', port: 7 },
    ]);
    expect(hostOf('redis-sentinel://a/main')).toEqual([{ host: 'a', port: 26_379 }]);
  });

  it.each([
    ['', /must be redis:/],
    ['localhost:6379', /must be redis:/],
    ['http://localhost', /must be redis:/],
    ['redis://', /empty host/],
    ['redis://a:1,b:2', /redis-sentinel:.*redis-cluster:/],
    ['redis://host/zero', /not a number/],
    ['redis://host:99999', /not 1 to 65535/],
    ['redis-cluster://a:1,,b:2', /empty host/],
    ['redis-cluster://a:1,b:x', /invalid host/],
    ['redis-cluster://a:1/3', /does not have/],
    ['redis-sentinel://a:1', /name of the master/],
    ['redis://u:50%@host', /%25/],
    ['redis://host?ca=x', /this form has none/],
    ['rediss://host?cacert=x', /possible are ca, cert, key, servername/],
    ['rediss://host?cert=x', /need each other/],
  ])('rejects %s', (text, message) => {
    expect(() => parseRedisUrl(text)).toThrow(message);
  });

  it('names the parameter of a file that cannot be read', () => {
    expect(() => checkRedisUrl('rediss://host?ca=/nowhere/ca.pem')).toThrow(/parameter ca .*ENOENT/);
  });

  it('uses TLS for Sentinels as well', () => {
    const options = connectionOptions(parseRedisUrl('rediss-sentinel://u:p@a:1/main/2?sentinelPassword=q'));
    expect(options).toMatchObject({
      sentinels: [{ host: 'a', port: 1 }],
      name: 'main',
      db: 2,
      username: 'u',
      password: 'p',
      sentinelPassword: 'q',
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    });
  });
});
