import { expect, it } from 'vitest';
import { limitPolicySchema } from './limit-policy.js';
import { packedHashes, packedSubjects } from './limit-storage.js';

const common = { name: 'buy', api: 'shop', operations: [], per: ['user'], onUnavailable: 'deny', limit: 10 };
const window = { ...common, algorithm: 'fixed_window', windowMs: 1000, alignment: 'clock' };
const packed = { ...window, storage: 'packed', expectedSubjects: 500 };
const subject = { ...window, storage: 'subject' };
const gcra = { ...common, algorithm: 'gcra', windowMs: 1500, burst: 0 };

const bucket = (refill: string) => ({ algorithm: 'token_bucket', windowMs: 1000, capacity: 5, refill });

const problemsOf = (limit: object) =>
  limitPolicySchema.safeParse(limit).error?.issues.map(({ path, message }) => [path.join('.'), message]) ??
  [];

it.each([
  { ...window, storage: 'key' },
  packed,
  { ...packed, per: ['global', 'ip'], charge: 'always' },
  { ...packed, candidate: { algorithm: 'gcra', limit: 1, windowMs: 1500, burst: 0 } },
  subject,
  { ...subject, per: [], alignment: 'first_request', windowMs: 1500 },
  { ...gcra, storage: 'subject', throttle: { mode: 'soft', percent: 10 } },
  { ...common, storage: 'subject', algorithm: 'leaky_bucket', windowMs: 1000, queue: 2 },
  { ...common, storage: 'subject', ...bucket('continuous') },
])('accepts %j', (limit) => {
  expect(problemsOf(limit)).toEqual([]);
});

it.each([
  [{ ...gcra, storage: 'packed', expectedSubjects: 1 }, 'storage', 'the algorithm fixed_window; choose it'],
  [{ ...packed, alignment: 'first_request' }, 'alignment', 'windows on the clock; set alignment to clock'],
  [
    { ...packed, windowMs: 1500 },
    'windowMs',
    'a window of whole seconds; change windowMs to a multiple of 1,000',
  ],
  [{ ...packed, per: [] }, 'per', 'a dimension besides the tenant; add one to per'],
  [{ ...packed, per: ['global'] }, 'per', 'a dimension besides the tenant; add one to per'],
  [{ ...packed, charge: 'on_success' }, 'charge', 'charge always; change it'],
  [{ ...window, storage: 'packed' }, 'expectedSubjects', 'expectedSubjects; set it'],
])('rejects a packed limit and names the field: %j', (limit, field, fix) => {
  expect(problemsOf(limit)).toEqual([[field, `storage packed needs ${fix}, or leave storage out`]]);
});

it.each([
  [
    { ...common, algorithm: 'quota', period: 'day' },
    'storage',
    'one of the algorithms fixed_window, gcra, token_bucket, leaky_bucket; choose one',
  ],
  [{ ...common, ...bucket('interval') }, 'refill', 'a continuous refill; set refill to continuous'],
  [{ ...gcra, charge: 'on_failure' }, 'charge', 'charge always; change it'],
])('rejects a limit with one value per subject and names the field: %j', (limit, field, fix) => {
  expect(problemsOf({ ...limit, storage: 'subject' })).toEqual([
    [field, `storage subject needs ${fix}, or leave storage out`],
  ]);
});

it.each([window, gcra, subject])('rejects expectedSubjects of a limit that is not packed: %j', (limit) => {
  expect(problemsOf({ ...limit, expectedSubjects: 5 })).toEqual([
    ['expectedSubjects', 'Only storage packed has expectedSubjects; leave it out'],
  ]);
});

it.each([0, 0.5, 10_000_001])('rejects %s expected subjects', (expectedSubjects) => {
  expect(problemsOf({ ...packed, expectedSubjects })).toEqual([
    ['expectedSubjects', 'expectedSubjects must be a whole number from 1 to 10000000'],
  ]);
});

it.each([
  [1, 1],
  [31, 1],
  [32, 2],
  [63, 2],
  [64, 4],
  [1_000_000, 32_768],
  [2 ** 20, 65_536],
  [10_000_000, 65_536],
])('divides %i expected subjects among %i hashes', (subjects, hashes) => {
  expect(packedHashes(subjects)).toBe(hashes);
});

it.each([
  [5, { min: 1, max: 31 }],
  [500, { min: 256, max: 511 }],
  [3_000_000, { min: 2 ** 20, max: 10_000_000 }],
])('finds the expected subjects with as many hashes as %i', (subjects, range) => {
  expect(packedSubjects(subjects)).toEqual(range);
  const [least, most] = [packedHashes(range.min), packedHashes(range.max)];
  expect([least, most]).toEqual([packedHashes(subjects), packedHashes(subjects)]);
});
