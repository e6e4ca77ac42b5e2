import { readFileSync } from 'node:fs';
import { configDocumentSchema, MAX_CONFIG_BYTES, MAX_CONFIG_TENANTS } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countObjects, describeDifference, readConfigText, writeConfigText } from './config-text.js';

const SAMPLE = readFileSync(new URL('../samples/shop.yaml', import.meta.url), 'utf8');

function problemsOf(source: string) {
  const read = readConfigText(source);
  return read.ok ? [] : read.problems;
}

describe('a configuration file', () => {
  it('the sample is one, and comes back as it was written', () => {
    const read = readConfigText(SAMPLE);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const again = readConfigText(writeConfigText(read.text.document));
    expect(again).toMatchObject({ ok: true, text: { document: read.text.document } });
  });

  it.each([
    [
      'an unknown key',
      'version: 1\ntiers:\n  free:\n    name: Free\n    color: red\n',
      5,
      5,
      'tiers.free.color: unknown key',
    ],
    ['a repeated key', 'version: 1\nversion: 1\n', 2, 1, 'unique'],
    ['a wrong type', 'version: 1\ntiers:\n  free: { name: 5 }\n', 3, 11, 'tiers.free.name'],
    ['another version', 'version: 2\n', 1, 1, 'version'],
    [
      'a window of no unit',
      'version: 1\ntiers:\n  a:\n    name: A\n    limits:\n      - { name: x, api: s, algorithm: sliding_window_log, limit: 1, window: 60 }\n',
      6,
      69,
      'such as 1m',
    ],
    ['broken YAML', 'version: 1\n  tiers: [\n', 1, 10, ''],
  ])('rejects %s with line, column and advice', (_name, source, line, column, message) => {
    const [first] = problemsOf(source);
    expect(first).toMatchObject({ line, column });
    expect(first?.message).toContain(message);
  });

  it.each([
    'algorithm: fixed_window, limit: 10, window: 1m',
    'algorithm: token_bucket, limit: 10, window: 1m',
    'algorithm: gcra, limit: 10, window: 1m',
    'algorithm: gcra, limit: 10, window: 1m, candidate: { algorithm: fixed_window, limit: 5, windowMs: 1000 }',
  ])('may leave out every field that has a default: %s', (rule) => {
    const source = `version: 1\ntiers:\n  a: { name: A, limits: [{ name: x, api: s, ${rule} }] }\n`;
    expect(problemsOf(source)).toEqual([]);
  });

  it.each([
    ['1.000', '“1.000” can mean 1000 or 1. Enter one of them.'],
    ['10.500', '“10.500” cannot be read. Did you mean 10500?'],
    ['1.000.000', '“1.000.000” cannot be read. Did you mean 1000000?'],
    ['"1.000"', '“1.000” can mean 1000 or 1. Enter one of them.'],
    ['1_000', 'Write the number as 1000, without quotes and separators'],
    ['1,000', 'Write the number as 1000, without quotes and separators'],
    ['1 000', 'Write the number as 1000, without quotes and separators'],
    ['many', 'must be a whole number'],
  ])('rejects the number %s with its place and what to write', (limit, message) => {
    const rule = `name: x\n        api: s\n        algorithm: gcra\n        limit: ${limit}`;
    const source = `version: 1\ntiers:\n  a:\n    name: A\n    limits:\n      - ${rule}\n        window: 1m\n`;
    expect(problemsOf(source)).toEqual([
      { line: 9, column: expect.any(Number), message: expect.stringMatching(/^[\w.]*limit: /) },
    ]);
    expect(problemsOf(source)[0]?.message).toContain(message);
  });

  it('rejects exponential aliases and oversized files immediately', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++) {
      const [name, before] = [String.fromCharCode(97 + i), String.fromCharCode(96 + i)];
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`);
    }
    expect(problemsOf(bomb.join('\n'))[0]?.message).toContain('aliases');
    expect(problemsOf(`# ${'x'.repeat(MAX_CONFIG_BYTES)}`)[0]?.message).toContain(String(MAX_CONFIG_BYTES));
  });

  it('accepts or rejects any text without throwing', () => {
    const lines = SAMPLE.split('\n');
    const spoiled = fc
      .tuple(fc.nat(lines.length - 1), fc.string())
      .map(([at, text]) => lines.map((line, i) => (i === at ? line + text : line)).join('\n'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), spoiled), (source) => {
        const problems = problemsOf(source);
        for (const { line, column } of problems) expect(Math.min(line, column)).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

const realTenant = (index: number) => ({
  name: `Customer number ${index}`,
  tier: 'professional',
  timeZone: 'America/Argentina/Buenos_Aires',
  billingAnchorDay: 15,
  tags: ['beta', 'contract-2026'],
  overrides: [
    {
      ...{ api: 'url-shortener', limit: 'create-per-minute', effect: { kind: 'set', limit: 90_000 } },
      ...{ expires: '2030-12-31T00:00:00.000Z', reason: 'Contract of 2026: a higher limit until its end' },
    },
  ],
  alerts: [{ api: 'url-shortener', limit: 'create-per-minute', percents: [50, 80, 90] }],
});

it('has room for the permitted number of tenants, each with an override and thresholds', () => {
  const documentOf = (count: number) => ({
    version: 1,
    tenants: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`customer-number-${index}`, realTenant(index)]),
    ),
  });
  const most = documentOf(MAX_CONFIG_TENANTS);
  expect(writeConfigText(most).length).toBeLessThan(MAX_CONFIG_BYTES);
  expect(JSON.stringify(most).length).toBeLessThan(MAX_CONFIG_BYTES);
  expect(configDocumentSchema.safeParse(most).success).toBe(true);
  expect(configDocumentSchema.safeParse(documentOf(MAX_CONFIG_TENANTS + 1)).error?.issues).toMatchObject([
    { path: ['tenants'], message: expect.stringContaining('5000 tenants at most') },
  ]);
});

it('is counted in the words of its user', () => {
  const [apis, tenants] = [{ shop: {} }, { acme: {}, globex: {} }] as never[];
  expect(countObjects({ version: 1, apis, tenants } as never)).toBe('2 tenants, 1 API');
  expect(countObjects({ version: 1 })).toBe('the file');
});

const create = { name: 'create', api: 'shop', algorithm: 'gcra', limit: 10, window: '1m' };
const list = { name: 'list', api: 'shop', algorithm: 'gcra', limit: 100, window: '1m', per: ['user'] };

it.each<[title: string, before: unknown, after: unknown, lines: string[]]>([
  ['one number', [create, list], [{ ...create, limit: 20 }, list], ['limits[shop/create].limit: 10 -> 20']],
  ['a new limit', [create], [create, list], [`limits[shop/list]: none -> ${JSON.stringify(list)}`]],
  ['a removed limit', [create, list], [list], [`limits[shop/create]: ${JSON.stringify(create)} -> none`]],
  ['a field that is new', [create], [{ ...create, burst: 4 }], ['limits[shop/create].burst: none -> 4']],
  ['a list of words', [list], [{ ...list, per: ['ip'] }], ['limits[shop/list].per: ["user"] -> ["ip"]']],
  ['the order only', [create, list], [list, create], ['limits: order changed']],
  ['equal values', [create], [create], []],
  ['the first limit of a tier', [], [create], [`limits[shop/create]: none -> ${JSON.stringify(create)}`]],
])('describes %s without repeating the rest', (_title, before, after, lines) => {
  expect(describeDifference('limits', before, after)).toEqual(lines);
});

it('describes scalars and nested objects by their path', () => {
  expect(describeDifference('name', 'Free', 'Basic')).toEqual(['name: "Free" -> "Basic"']);
  expect(describeDifference('operations', { a: { cost: 1 } }, { a: { cost: 2 } })).toEqual([
    'operations.a.cost: 1 -> 2',
  ]);
});
