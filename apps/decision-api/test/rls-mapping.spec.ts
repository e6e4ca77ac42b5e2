import { describe, expect, it } from 'vitest';
import { parseMappings } from '../src/envoy/mapping.js';
import type { Descriptor } from '../src/envoy/messages.js';
import { descriptor } from './rls-policy.js';

const FILE = {
  domains: {
    edge: {
      api: { default: 'links' },
      tenant: { entries: ['x-tenant', 'tenant'], values: { internal: 'acme' }, default: 'public' },
      operation: { entries: ['path'], values: { '/v1/links': 'create' }, default: 'other' },
      dimensions: { client: 'user', noise: null, remote_address: 'ip' },
      unknownCaller: 'deny',
    },
  },
  otherDomains: 'unlimited',
};

const map = (domain: string, entries: Record<string, string>, file: object = FILE) =>
  parseMappings(JSON.stringify(file))
    .of(domain)
    ?.map({
      ...descriptor(entries),
      limit: undefined,
      hitsAddend: undefined,
      isNegativeHits: false,
    } as Descriptor);

describe('how descriptors become requests', () => {
  it.each<[string, Record<string, string>, object]>([
    ['a listed value is replaced', { path: '/v1/links' }, { operation: 'create', api: 'links' }],
    ['a value that is not listed is the name', { path: 'delete' }, { operation: 'delete' }],
    [
      'a value that is not a name counts as an unnamed operation',
      { path: '/v1/other' },
      { operation: 'unnamed' },
    ],
    [
      'a name of 65 characters counts as an unnamed operation',
      { path: 'x'.repeat(65) },
      { operation: 'unnamed' },
    ],
    [
      'hashes an overlong value',
      { region: 'x'.repeat(1025) },
      { subject: { region: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) } },
    ],
    [
      'reads an address with its port',
      { remote_address: '[2001:db8::1]:443' },
      { subject: { ip: '2001:db8::1' } },
    ],
    ['leaves out a value that is not an address', { remote_address: 'unix:' }, { subject: {} }],
    ['uses the default for missing names', {}, { tenant: 'public', operation: 'other' }],
    ['the first of several entries counts', { tenant: 'b', 'x-tenant': 'a' }, { tenant: 'a' }],
    ['maps a value to a configured name', { 'x-tenant': 'internal' }, { tenant: 'acme' }],
    ['maps an entry to a configured dimension', { client: 'u1' }, { subject: { user: 'u1' } }],
    ['ignores an entry mapped to null', { noise: 'u1' }, { subject: undefined }],
    ['any other entry is the dimension of its name', { region: 'eu' }, { subject: { region: 'eu' } }],
    ['ignores an entry whose name is not a valid dimension', { 'x-y': 'eu' }, { subject: undefined }],
    ['a key replaces the tenant', { key: 'tgk_live_x' }, { key: 'tgk_live_x' }],
    [
      'names of objects are names as any',
      { constructor: 'x', path: 'constructor' },
      { operation: 'constructor' },
    ],
  ])('%s', (_, entries, expected) => {
    expect(map('edge', entries)).toMatchObject(expected);
  });

  it('denies unknown callers unless the domain allows them', () => {
    const file = { domains: { edge: {}, open: { unknownCaller: 'allow' } } };
    const mappings = parseMappings(JSON.stringify(file));
    const choices = ['edge', 'open', 'unlisted'].map((domain) => mappings.of(domain)?.unknownCaller);
    expect(choices).toEqual(['deny', 'allow', 'deny']);
  });

  it('leaves other domains unlimited if configured', () => {
    expect(map('links', { tenant: 'acme', operation: 'create' })).toBeUndefined();
  });

  it.each([
    ['an unknown field', { domains: { edge: { tenants: {} } } }, 'tenants'],
    ['an invalid API name', { domains: { edge: { api: { default: 'Links!' } } } }, 'default'],
    ['an invalid dimension name', { domains: { edge: { dimensions: { a: 'tenant' } } } }, 'dimensions'],
  ])('%s is refused, and named', (_, file, named) => {
    expect(() => parseMappings(JSON.stringify(file))).toThrow(named);
  });
});
