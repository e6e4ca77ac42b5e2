import { readFileSync } from 'node:fs';
import { type LimitPolicy, limitPolicySchema } from '@tollgate/contracts';
import { buildSchema, isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type LimitFieldsFragment, LimitFieldsFragmentDoc, type LimitInput } from '../generated/graphql.js';
import {
  readLimit,
  ruleOf,
  ruleWith,
  toLimitInput,
  withPer,
  withPrefix,
  withReach,
  withRollover,
  withRule,
  withStorage,
} from './limit-fields.js';

const plain: LimitPolicy = {
  name: 'create',
  api: 'url-shortener',
  operations: ['createURL'],
  per: ['user'],
  algorithm: 'fixed_window',
  limit: 100,
  windowMs: 60_000,
  alignment: 'first_request',
  onUnavailable: 'deny',
};

const ALGORITHMS = [
  'fixed_window',
  'sliding_window_log',
  'sliding_window_counter',
  'token_bucket',
  'leaky_bucket',
  'gcra',
  'concurrency',
  'quota',
] as const;

const RULE_FIELDS = [
  'windowMs',
  'alignment',
  'buckets',
  'capacity',
  'refill',
  'queue',
  'burst',
  'leaseMs',
  'period',
];

/** The server's response to an input: every field, null where the limit has none. */
function echo(input: LimitInput): LimitFieldsFragment {
  const nulls = Object.fromEntries(RULE_FIELDS.map((field) => [field, null]));
  const throttle = { percent: null, maxPercent: null, pool: null, maxDelayMs: null };
  return {
    ...nulls,
    ...input,
    id: 'lim_1',
    summary: 'Up to …',
    throttle: { ...throttle, mode: 'HARD', ...input.throttle },
    enforcement: { percent: null, mode: 'ENFORCE', ...input.enforcement },
    consistency: { leaseMs: null, mode: 'STRICT', ...input.consistency },
    candidate: input.candidate ? { ...nulls, ...input.candidate } : null,
  } as LimitFieldsFragment;
}

const read = (policy: LimitPolicy) => readLimit(echo(toLimitInput(policy))).policy;

const schemaFile = new URL('../../../control-plane/schema.graphql', import.meta.url);

describe('readLimit and toLimitInput', () => {
  it('reads every field of a draft', () => {
    const input = buildSchema(readFileSync(schemaFile, 'utf8')).getType('LimitInput');
    const settable = isInputObjectType(input) ? Object.keys(input.getFields()) : [];
    const selected = new Set(LimitFieldsFragmentDoc.toString().match(/\w+/g));
    expect(settable).toContain('inHeaders');
    expect(settable.filter((field) => !selected.has(field))).toEqual([]);
  });

  const spelledOut = {
    throttle: { mode: 'hard' },
    enforcement: { mode: 'enforce' },
    charge: 'always',
    onMissing: 'shared',
    consistency: { mode: 'strict' },
    storage: 'key',
    inHeaders: true,
  } as const;

  it.each(ALGORITHMS)('round-trips %s', (algorithm) => {
    const policy = withRule(plain, ruleWith(algorithm, ruleOf(plain)));
    expect(read(policy)).toEqual({ ...limitPolicySchema.parse(policy), ...spelledOut });
  });

  it.each<Partial<LimitPolicy>>([
    { throttle: { mode: 'soft', percent: 10 } },
    { throttle: { mode: 'elastic', maxPercent: 50, pool: 'main' } },
    { throttle: { mode: 'queue', maxDelayMs: 250 } },
    { enforcement: { mode: 'shadow' } },
    { enforcement: { mode: 'percent', percent: 20 } },
    { charge: 'on_failure' },
    { charge: 'on_failure', attemptTimeoutMs: 120_000 },
    { onMissing: 'skip' },
    { onMissing: 'refuse' },
    { inHeaders: false },
    { operations: [], alsoApis: ['search'] },
    { deadlineMs: 250 },
    { warmUp: { ms: 600_000, startPercent: 40 } },
    { amounts: { by: 'region', labels: [{ label: 'eu', limit: 2 }], others: 0 } },
    { penalty: { denials: 9, windowMs: 60_000, blockMs: 1000, maxBlockMs: 2_592_000_000 } },
    { consistency: { mode: 'leased', leaseMs: 1000 } },
    { storage: 'packed', expectedSubjects: 500, alignment: 'clock' },
    { storage: 'subject' },
    { candidate: { algorithm: 'token_bucket', limit: 5, windowMs: 1000, capacity: 9, refill: 'interval' } },
    { candidate: { algorithm: 'quota', limit: 5, period: 'billing' } },
  ])('keeps its terms: %j', (terms) => {
    expect(read({ ...plain, ...terms } as LimitPolicy)).toEqual({ ...plain, ...spelledOut, ...terms });
  });
});

describe('withReach', () => {
  it.each([
    [['search'], ['search']],
    [['url-shortener', 'search'], ['search']],
    [['search', '*'], ['*']],
    [['*', 'search'], ['search']],
    [[], undefined],
  ])('%j', (chosen, alsoApis) => {
    expect(withReach({ ...plain, alsoApis: ['mail'] }, chosen).alsoApis).toEqual(alsoApis);
  });
});

describe('ruleWith', () => {
  it('keeps every term outside of the rule', () => {
    const terms: Partial<LimitPolicy> = { inHeaders: false, onMissing: 'skip', charge: 'on_failure' };
    const before = { ...plain, ...terms } as LimitPolicy;
    expect(withRule(before, ruleWith('gcra', ruleOf(before)))).toMatchObject(terms);
  });

  it('drops a storage that the algorithm does not have', () => {
    const packed = withStorage({ ...plain, alignment: 'clock' } as LimitPolicy, 'packed');
    expect(packed).toMatchObject({ storage: 'packed', expectedSubjects: 1000 });
    const after = withRule(packed, ruleWith('gcra', ruleOf(packed)));
    expect(after).not.toHaveProperty('storage');
    expect(after).not.toHaveProperty('expectedSubjects');
  });

  it('drops the prefixes of addresses when it no longer counts by address', () => {
    const byNetwork = withPrefix(withPer(plain, ['ip']), 'ipv6Prefix', 48);
    expect(withPer(byNetwork, ['ip', 'user'])).toMatchObject({ ipv6Prefix: 48 });
    expect(withPer(byNetwork, ['user'])).not.toHaveProperty('ipv6Prefix');
    expect(withPrefix(byNetwork, 'ipv6Prefix', undefined)).not.toHaveProperty('ipv6Prefix');
  });

  it('drops the rollover of a quota that becomes a rate', () => {
    const monthly = withRule(plain, { algorithm: 'quota', limit: 1000, period: 'month' });
    const rolling = withRollover(monthly, 50);
    expect(withRule(rolling, { ...ruleOf(rolling), limit: 5 })).toMatchObject({ rolloverPercent: 50 });
    expect(withRule(rolling, ruleWith('gcra', ruleOf(rolling)))).not.toHaveProperty('rolloverPercent');
  });

  it('keeps a storage that the algorithm has', () => {
    const shared = withStorage(plain, 'subject');
    expect(withRule(shared, ruleWith('gcra', ruleOf(shared)))).toHaveProperty('storage', 'subject');
    expect(withRule(shared, ruleWith('quota', ruleOf(shared)))).not.toHaveProperty('storage');
  });

  it.each(ALGORITHMS)(
    'gives a limit that can be stored, with nothing left of the one before: %s',
    (algorithm) => {
      for (const from of ALGORITHMS) {
        const before = withRule(plain, ruleWith(from, ruleOf(plain)));
        const after = withRule(before, ruleWith(algorithm, ruleOf(before)));
        expect(limitPolicySchema.safeParse(after).error).toBeUndefined();
        expect(after).toMatchObject({ algorithm, limit: 100, name: 'create', onUnavailable: 'deny' });
      }
    },
  );
});
