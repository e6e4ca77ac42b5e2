import { expect, it } from 'vitest';
import {
  ALGORITHM_NAMES,
  consistencySchema,
  enforcementSchema,
  limitPolicySchema,
  ruleDefaults,
  ruleFieldsOf,
  throttleSchema,
} from './limit-policy.js';

it.each([
  [throttleSchema, { mode: 'soft', percent: 0 }, 'percent must be 1 to 1000'],
  [throttleSchema, { mode: 'soft', percent: 1001 }, 'percent must be 1 to 1000'],
  [throttleSchema, { mode: 'elastic', maxPercent: 10_001, pool: 'p' }, 'maxPercent must be 1 to 10000'],
  [throttleSchema, { mode: 'queue', maxDelayMs: 60_001 }, 'maxDelayMs must be 1 to 60000'],
  [throttleSchema, { mode: 'queue', maxDelayMs: 0.5 }, 'maxDelayMs must be a whole number'],
  [enforcementSchema, { mode: 'percent', percent: 100 }, 'percent must be 1 to 99'],
  [consistencySchema, { mode: 'leased', leaseMs: 99 }, 'leaseMs must be 100 to 60000'],
])('rejects a number outside its range and names the range: $1', (schema, terms, message) => {
  const issues = schema.safeParse(terms).error?.issues.map((issue) => issue.message) ?? [];
  expect(issues[0]).toBe(message);
});

it.each([
  [4, "deadlineMs must be 5 or more; leave it out to use the node's deadline"],
  [1001, "deadlineMs must be 1,000 (a second) at most; leave it out to use the node's deadline"],
  [5.5, 'deadlineMs must be a whole number of milliseconds'],
  [5, undefined],
  [1000, undefined],
])('accepts a deadline from 5 to 1,000 ms: %s', (deadlineMs, message) => {
  const rule = { algorithm: 'sliding_window_log', limit: 10, windowMs: 1000 };
  const terms = { name: 'buy', api: 'shop', operations: [], per: [], onUnavailable: 'deny', deadlineMs };
  expect(limitPolicySchema.safeParse({ ...rule, ...terms }).error?.issues[0]?.message).toBe(message);
});

it.each([
  [0, undefined],
  [-1, 'limit must be 0 or more; 0 blocks the operations'],
])('accepts a limit of 0: %s', (limit, message) => {
  const terms = { name: 'buy', api: 'shop', operations: [], per: [], onUnavailable: 'deny', windowMs: 1000 };
  const parsed = limitPolicySchema.safeParse({ ...terms, algorithm: 'sliding_window_log', limit });
  expect(parsed.error?.issues[0]?.message).toBe(message);
});

it.each(ALGORITHM_NAMES)('accepts a candidate with algorithm %s', (algorithm) => {
  const values: Record<string, unknown> = {
    ...{ windowMs: 1000, buckets: 2, queue: 1, leaseMs: 1000, period: 'day' },
    ...ruleDefaults(algorithm, 10),
  };
  const fields = ruleFieldsOf(algorithm).map((field) => [field, values[field]]);
  const candidate = { algorithm, limit: 10, ...Object.fromEntries(fields) };
  const limit = { ...candidate, name: 'buy', api: 'shop', operations: [], per: [], onUnavailable: 'deny' };
  expect(limitPolicySchema.parse({ ...limit, candidate })).toEqual({ ...limit, candidate });
});

it.each([
  [['ip'], { ipv4Prefix: 8, ipv6Prefix: 128 }, undefined],
  [['ip', 'user'], { ipv4Prefix: 7 }, 'ipv4Prefix must be a whole number from 8 to 32'],
  [['ip'], { ipv6Prefix: 47 }, 'ipv6Prefix must be a whole number from 48 to 128'],
  [['user'], { ipv6Prefix: 48 }, 'Only a limit per ip has ipv6Prefix; leave it out, or add ip to per'],
])('accepts address prefixes only of a limit per ip: %o, %o', (per, prefixes, message) => {
  const terms = { name: 'buy', api: 'shop', operations: [], per, onUnavailable: 'deny', ...prefixes };
  const parsed = limitPolicySchema.safeParse({
    ...{ ...terms, algorithm: 'sliding_window_log', limit: 10, windowMs: 1000 },
  });
  expect(parsed.error?.issues[0]?.message).toBe(message);
});

const LABELS = { by: 'region', labels: [{ label: 'eu', limit: 10 }] };

it.each([
  [{}, { ...LABELS, others: 0 }, undefined],
  [
    {},
    { ...LABELS, by: 'ip' },
    'Amounts are for values of a label such as region, not by ip; choose another dimension',
  ],
  [
    { per: ['region'] },
    LABELS,
    'The limit already counts each region separately; remove it from per, or choose another label',
  ],
  [
    { limit: 9 },
    LABELS,
    'An amount is 9 at most, the limit of all labels together; lower it or raise the limit',
  ],
  [
    {},
    { ...LABELS, labels: [{ label: 'e u', limit: 1 }] },
    'A label has 1 to 32 letters, digits, ".", "_", "@" and "-"',
  ],
  [{ limit: 0 }, LABELS, undefined],
  [{}, { ...LABELS, labels: [...LABELS.labels, ...LABELS.labels] }, 'A label is named twice'],
  [{}, { ...LABELS, labels: [{ label: 'eu', limit: 0 }] }, 'limit must be 1 or more'],
  [
    { consistency: { mode: 'leased', leaseMs: 1000 } },
    LABELS,
    'A leased limit has no amounts per label. Use strict, or leave amounts out',
  ],
  [
    { storage: 'subject' },
    LABELS,
    'A limit with storage subject has no amounts per label. Use storage key, or leave amounts out',
  ],
])('checks amounts per label: %o, %o', (more, amounts, message) => {
  const limit = { name: 'buy', api: 'shop', operations: [], per: [], onUnavailable: 'deny', amounts };
  const parsed = limitPolicySchema.safeParse({
    ...{ ...limit, algorithm: 'gcra', limit: 10, windowMs: 1000, burst: 0, ...more },
  });
  expect(parsed.error?.issues[0]?.message).toBe(message);
});

const NO_ROLLOVER =
  'Only a quota of the tenant as a whole, with empty per, can have rolloverPercent; leave it out';

it.each([
  [{ algorithm: 'quota', period: 'month' }, 100, undefined],
  [{ algorithm: 'quota', period: 'month' }, 101, 'rolloverPercent must be 1 to 100'],
  [{ algorithm: 'quota', period: 'month', per: ['user'] }, 50, NO_ROLLOVER],
  [{ algorithm: 'sliding_window_log', windowMs: 1000 }, 50, NO_ROLLOVER],
])('accepts a rollover only for a quota of a tenant: %o, %i %%', (rule, rolloverPercent, message) => {
  const terms = { name: 'buy', api: 'shop', operations: [], per: [], onUnavailable: 'deny' };
  const limit = { ...terms, ...rule, limit: 10, rolloverPercent };
  expect(limitPolicySchema.safeParse(limit).error?.issues[0]?.message).toBe(message);
});
