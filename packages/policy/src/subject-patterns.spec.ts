import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternIndex, parseSubjectPattern, type SubjectPattern, specificityOf } from './subject-patterns.js';

const RUNS = { numRuns: 300 };

const parsed = (dimension: string, text: string) => {
  const result = parseSubjectPattern(dimension, text);
  if (typeof result === 'string') throw new Error(result);
  return result;
};
const matches = (dimension: string, text: string, value: string) => {
  const index = new PatternIndex<string>();
  index.add(parsed(dimension, text).pattern, text);
  return index.find(value, () => true) !== undefined;
};
const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Few bits differ, so that networks contain many of the addresses. */
const byte = fc.constantFrom(0, 1, 10, 127, 128, 254, 255);
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'));
const group = fc.constantFrom('0', '1', '7fff', '8000', 'ffff', '2001');
const ipv6 = fc
  .tuple(fc.constantFrom('2001', 'fe80'), fc.array(group, { minLength: 7, maxLength: 7 }))
  .map(([first, rest]) => [first, ...rest].join(':'));
const address = fc.oneof(ipv4, ipv6);

/** The network of an address: its bits beyond the prefix are cleared by hand. */
function networkOf(text: string, bits: number): string {
  const isV4 = isIP(text) === 4;
  const parts = text.split(isV4 ? '.' : ':');
  const width = isV4 ? 8 : 16;
  const kept = parts.map((part, i) => {
    const ones = Math.min(width, Math.max(0, bits - i * width));
    const value = Number.parseInt(part, isV4 ? 10 : 16);
    return (value & ~(2 ** (width - ones) - 1)).toString(isV4 ? 10 : 16);
  });
  return `${kept.join(isV4 ? '.' : ':')}/${bits}`;
}

const network = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map(([text, bits]) => networkOf(text, bits)),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map(([text, bits]) => networkOf(text, bits)),
);

describe('patterns of subjects', () => {
  it('match the addresses that node:net finds in the same network', () => {
    fc.assert(
      fc.property(network, address, (text, value) => {
        const [base = '', bits] = text.split('/');
        const blocks = new BlockList();
        blocks.addSubnet(base, Number(bits), familyOf(base));
        const expected = familyOf(base) === familyOf(value) && blocks.check(value, familyOf(value));
        expect(matches('ip', text, value)).toBe(expected);
      }),
      RUNS,
    );
  });

  it('have a canonical form that parses to the same pattern', () => {
    fc.assert(
      fc.property(fc.oneof(network, address), (text) => {
        const { pattern, text: canonical } = parsed('ip', text);
        expect(parsed('ip', canonical)).toEqual({ pattern, text: canonical });
      }),
      RUNS,
    );
  });

  it('never throw, and reject what is neither an address nor a network', () => {
    const part = fc.oneof(
      network,
      address,
      fc.string(),
      fc.constantFrom('/', '::', '%eth0', '*', '0x7f', '1e3', '-1'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), (parts) => {
        const text = parts.join('');
        const result = parseSubjectPattern('ip', text);
        const [base = '', bits, ...more] = text.split('/');
        const isWellFormed =
          isIP(base) > 0 && more.length === 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
        if (!isWellFormed) expect(result).toBeTypeOf('string');
        expect(['string', 'object']).toContain(typeof parseSubjectPattern('user', text));
      }),
      RUNS,
    );
  });

  it('find the most specific of all accepted patterns, in any order', () => {
    const prefix = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
    const pattern = fc.oneof(
      prefix.map((text) => `${text}*`),
      prefix.filter((text) => text !== ''),
    );
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 12 }), prefix, fc.nat(3), (texts, value, refused) => {
        const index = new PatternIndex<{ text: string; pattern: SubjectPattern; i: number }>();
        const all = texts.map((text, i) => ({ text, pattern: parsed('user', text).pattern, i }));
        for (const one of all) index.add(one.pattern, one);
        const accepts = ({ i }: { i: number }) => i % 4 !== refused;
        const fits = all.filter(
          ({ text, i }) =>
            accepts({ i }) && (text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : text === value),
        );
        const best = fits.sort((a, b) => specificityOf(b.pattern) - specificityOf(a.pattern) || b.i - a.i)[0];
        expect(index.find(value, accepts)).toBe(best);
      }),
      RUNS,
    );
  });

  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('ip %s is stored as %s', (text, canonical) => {
    expect(parsed('ip', text).text).toBe(canonical);
  });

  it.each([
    ['10.0.0.1/8', '10.0.0.1/8 has bits beyond its prefix; write 10.0.0.0/8'],
    ['2001:db8::1/32', '2001:db8::1/32 has bits beyond its prefix; write 2001:db8::/32'],
    ['::ffff:10.0.0.1/104', '::ffff:10.0.0.1/104 has bits beyond its prefix; write 10.0.0.0/8'],
    ['10.0.0.0/33', 'The prefix length of 10.0.0.0 is 0 to 32'],
    ['::ffff:10.0.0.0/64', 'The prefix length of ::ffff:10.0.0.0 is 96 to 128'],
    ['10.0.0.0/8/8', '10.0.0.0/8/8 is neither an IP address nor a network such as 10.0.0.0/8'],
    ['10.0.0', '10.0.0 is neither an IP address nor a network such as 10.0.0.0/8'],
    ['fe80::1%eth0', 'fe80::1%eth0 is neither an IP address nor a network such as 10.0.0.0/8'],
    ['10.0.0.0/', '/ is not a prefix length'],
    ['10.*', '10.* is neither an IP address nor a network such as 10.0.0.0/8'],
  ])('ip %s is rejected', (text, message) => {
    expect(parseSubjectPattern('ip', text)).toBe(message);
  });

  it.each(['a*b', '**', '*a'])('user %s is rejected', (text) => {
    expect(parseSubjectPattern('user', text)).toBe(
      `${text}: * stands for any end of a value; write it once, last`,
    );
  });

  it('match an IPv4 address mapped into IPv6, and no invalid address', () => {
    expect(matches('ip', '10.0.0.0/8', '::ffff:10.9.9.9')).toBe(true);
    expect(matches('ip', '0.0.0.0/0', 'unknown')).toBe(false);
    expect(matches('ip', '::/0', '10.0.0.1')).toBe(false);
  });
});
