import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slotOf } from '../cluster/slots.js';
import {
  addressOf,
  counterKey,
  dimensionValue,
  keyStem,
  overflowKey,
  ownTag,
  packedStem,
  penaltyKey,
  receiptKey,
  subjectStem,
  tenantOfKey,
  tenantTag,
} from './keys.js';

const slug = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/);
const hostile = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.stringMatching(/^[A-Za-z0-9._@-]{1,40}$/),
  fc.constantFrom(
    ':',
    '{',
    '}',
    '{}',
    '\0',
    '\r\n',
    '=a',
    '#a',
    '~a',
    '\ud800',
    '\udfff',
    'é',
    'e\u0301',
    'a'.repeat(1024),
  ),
);
const counter = fc.record({
  tenant: slug,
  version: fc.constantFrom('g1', 'f1'),
  api: slug,
  limit: slug,
  values: fc.array(hostile, { maxLength: 3 }),
});

function keyOf({
  tenant,
  version,
  api,
  limit,
  values,
}: typeof counter extends fc.Arbitrary<infer T> ? T : never): string {
  const written = values.map((value) => dimensionValue('user', value) ?? '');
  return counterKey(tenant, `:${version}:${api}:${limit}`, written);
}

describe('counter keys', () => {
  it('different counters never share a key', () => {
    fc.assert(
      fc.property(counter, counter, (a, b) => {
        expect(keyOf(a) === keyOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 5000 },
    );
  });

  it("counters of our own callers never share a key with a tenant's", () => {
    fc.assert(
      fc.property(counter, slug, (c, purpose) => {
        const { version, api, limit, values } = c;
        const written = values.map((value) => dimensionValue('user', value) ?? '');
        const own = counterKey(ownTag(purpose), `:${version}:${api}:${limit}`, written);
        expect(own).not.toBe(keyOf({ ...c, tenant: purpose }));
        expect(own.startsWith(`{!${purpose}}`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('moving a character between adjacent parts changes the key', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (a, b, c) => {
        fc.pre(a + b !== a || b !== c);
        const key = (values: string[]) => keyOf({ tenant: 't', version: 'g1', api: 'a', limit: 'l', values });
        if (a + b !== a) expect(key([a, b + c])).not.toBe(key([a + b, c]));
        expect(key([a, b])).not.toBe(key([a + b]));
      }),
      { numRuns: 2000 },
    );
  });

  it('contains one hash tag, the tenant, and no control characters', () => {
    fc.assert(
      fc.property(counter, (c) => {
        const key = keyOf(c);
        expect(key.startsWith(`{${c.tenant}}`)).toBe(true);
        expect(key.slice(c.tenant.length + 2)).toMatch(/^[\x21-\x7a~]*$/);
        expect(key.length).toBeLessThanOrEqual(2 + 48 + 4 + 49 + 49 + 3 * 33);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('keys of child tenants', () => {
  const owner = fc.record({ tenant: slug, parent: fc.option(slug, { nil: undefined }) });
  const limit = fc.record({ api: slug, name: slug });
  const value = hostile.map((text) => dimensionValue('user', text) ?? '');

  it('different tenants never share one, whatever their names and layouts', () => {
    const layout = fc.constantFrom('key', 'packed', 'subject', 'receipt');
    const key = fc.tuple(owner, layout, limit, value);
    const keyOfTenant = ([of, kind, { api, name }, one]: typeof key extends fc.Arbitrary<infer T>
      ? T
      : never) => {
      const tag = tenantTag(of);
      if (kind === 'receipt') return receiptKey(tag, one);
      const stem =
        kind === 'packed'
          ? packedStem({ api, name }, 1)
          : kind === 'subject'
            ? subjectStem({ api, name, per: ['user'] }, 'g1')
            : keyStem({ api, name }, 'g1');
      return addressOf(counterKey(tag, stem, [one])).key;
    };
    fc.assert(
      fc.property(key, owner, (a, other) => {
        const b = [other, a[1], a[2], a[3]] as typeof a;
        const isSame = a[0].tenant === other.tenant && a[0].parent === other.parent;
        expect(keyOfTenant(a) === keyOfTenant(b)).toBe(isSame);
        expect(tenantOfKey(keyOfTenant(a))).toBe(a[0].tenant);
      }),
      { numRuns: 3000 },
    );
  });

  it('are in the slot of the parent', () => {
    fc.assert(
      fc.property(slug, slug, limit, value, (parent, tenant, of, one) => {
        const tag = tenantTag({ tenant, parent });
        const key = counterKey(tag, keyStem(of, 'g1'), [one]);
        const slot = slotOf(counterKey(parent, keyStem(of, 'g1'), []));
        expect(
          [key, penaltyKey(key), receiptKey(tag, one), overflowKey(tag, keyStem(of, 'g1'))].map(slotOf),
        ).toEqual([slot, slot, slot, slot]);
      }),
      { numRuns: 500 },
    );
  });

  it('are named after parent and child', () => {
    const key = counterKey('acme/team-a', ':g1:maps:per-minute', ['=u1']);
    expect(key).toBe('{acme}/team-a/:g1:maps:per-minute=u1');
    expect(penaltyKey(key)).toBe('{acme}/team-a/:n1:maps:per-minute=u1');
    expect(counterKey('acme/team-a', 'pAbCdEfGhIj/1', ['=u1'])).toBe('{acme}/team-a/pAbCdEfGhIj:0|=u1');
  });
});

describe('one value per subject', () => {
  const stemOf = (name: string, per: string[], api = 'maps') => subjectStem({ api, name, per }, 'g1');
  const keyOfUser = (stem: string) => counterKey('acme', stem, ['=u1']);

  it('is a field per limit in the hash of API, dimensions and values', () => {
    const [minute, hour] = ['minute', 'hour'].map((name) => addressOf(keyOfUser(stemOf(name, ['user']))));
    expect(minute?.key).toMatch(/^\{acme\}s[\w-]{12}=u1$/);
    expect([minute?.field, hour?.field]).toEqual(['g1:minute', 'g1:hour']);
    expect(hour?.key).toBe(minute?.key);
    expect(addressOf(overflowKey('acme', stemOf('minute', ['user']))).key).toBe(
      minute?.key.replace('=u1', '^'),
    );
  });

  it('is another hash for other dimensions, their order, or another API', () => {
    const stems = [
      stemOf('minute', ['user']),
      stemOf('minute', []),
      stemOf('minute', ['user', 'ip']),
      stemOf('minute', ['ip', 'user']),
      stemOf('minute', ['user'], 'shop'),
    ];
    expect(new Set(stems.map((stem) => addressOf(keyOfUser(stem)).key)).size).toBe(stems.length);
  });
});

describe('addresses', () => {
  it('all addresses of one IPv6 /64 are one value, those of the next /64 another', () => {
    const values = new Set<string | undefined>();
    for (let i = 0; i < 65_536; i++) values.add(dimensionValue('ip', `2001:db8:1:2::${i.toString(16)}`));
    expect([...values]).toEqual(['~20010db800010002']);
    expect(dimensionValue('ip', '2001:db8:1:3::1')).toBe('~20010db800010003');
  });

  it('an IPv4-mapped IPv6 address equals the IPv4 address', () => {
    expect(dimensionValue('ip', '::ffff:203.0.113.9')).toBe('~203.0.113.9');
    expect(dimensionValue('ip', '::ffff:cb00:7109')).toBe('~203.0.113.9');
    expect(dimensionValue('ip', '203.0.113.9')).toBe('~203.0.113.9');
    expect(dimensionValue('ip', '64:ff9b::203.0.113.9')).toBe('~203.0.113.9');
  });

  it('an address is one value in any notation', () => {
    expect(dimensionValue('ip', '::1.2.3.4')).toBe(dimensionValue('ip', '::102:304'));
    expect(dimensionValue('ip', '2001:DB8:0:0::1')).toBe(dimensionValue('ip', '2001:db8::1'));
    expect(dimensionValue('ip', '[2001:db8::1]:443')).toBe(dimensionValue('ip', '2001:db8::1'));
    expect(dimensionValue('ip', '1.2.3.4:80')).toBe(dimensionValue('ip', '1.2.3.4'));
    expect(dimensionValue('ip', 'fe80::1%eth0')).toBe(dimensionValue('ip', 'fe80::1'));
  });

  it.each(['', 'localhost', '1.2.3', '01.2.3.4', '1.2.3.4:x', '[::1', '1.2.3.4, 5.6.7.8'])(
    'rejects %j as an address',
    (value) => {
      expect(dimensionValue('ip', value)).toBeUndefined();
    },
  );
});

describe('addresses by networks', () => {
  const prefixes = fc.record({
    ipv4Prefix: fc.integer({ min: 8, max: 32 }),
    ipv6Prefix: fc.integer({ min: 48, max: 128 }),
  });

  it.each([
    { name: 'IPv4', size: 32, field: 'ipv4Prefix' as const, write: writeIpv4 },
    { name: 'IPv4 mapped into IPv6', size: 32, field: 'ipv4Prefix' as const, write: writeMapped },
    { name: 'IPv6', size: 128, field: 'ipv6Prefix' as const, write: writeIpv6 },
  ])(
    '$name: two addresses share a value if and only if they share the first bits',
    ({ size, field, write }) => {
      const address = fc.bigInt({ min: 2n ** BigInt(size - 1), max: 2n ** BigInt(size) - 1n });
      // Differs in one bit, so that both cases are frequent.
      const flipped = fc.tuple(address, fc.integer({ min: 0, max: size - 1 }), fc.boolean());
      fc.assert(
        fc.property(flipped, prefixes, ([one, bit, isSame], lengths) => {
          const other = isSame ? one : one ^ (1n << BigInt(bit));
          const dropped = BigInt(size - lengths[field]);
          const values = [one, other].map((each) => dimensionValue('ip', write(each), lengths));
          expect(values[0]).toBeDefined();
          expect(values[0] === values[1]).toBe(one >> dropped === other >> dropped);
        }),
        { numRuns: 2000 },
      );
    },
  );

  it('another length has other values, and the default ones those without lengths', () => {
    const address = '2001:db8::1';
    const values = [48, 50, 56, 64, 128].map((ipv6Prefix) => dimensionValue('ip', address, { ipv6Prefix }));
    expect(new Set(values).size).toBe(values.length);
    expect(values[3]).toBe(dimensionValue('ip', address));
    expect(values[0]).toBe('~20010db80000/48');
    expect(dimensionValue('ip', '10.1.2.3', { ipv4Prefix: 24 })).toBe('~10.1.2.0/24');
  });

  it.each(['10.0.0.256', '2001:db8::/48', '', '::ffff:1.2.3'])('%j is invalid', (address) => {
    expect(dimensionValue('ip', address, { ipv4Prefix: 24, ipv6Prefix: 48 })).toBeUndefined();
  });
});

function writeIpv4(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.');
}

function writeMapped(address: bigint): string {
  return `::FFFF:${writeIpv4(address)}`;
}

function writeIpv6(address: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((address >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  return groups.join(':');
}
