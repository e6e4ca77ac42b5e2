import { readFileSync } from 'node:fs';
import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { createTestRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileLimit } from '../src/rules/compile.js';
import { counterKey, dimensionValue, holderOf, receiptKey } from '../src/rules/keys.js';
import { sendAmendment } from '../src/scripts/amend.js';
import { sendBatch } from '../src/scripts/decide.js';
import type { Check, StoreRequest } from '../src/stores/decision-store.js';
import { policyBy } from './policies.js';

/** Far ahead, so that Redis keeps what the scripts write. */
const T0_MS = Date.UTC(2040, 1, 29, 12, 0, 30, 7);

const minute = { limit: 10, windowMs: 60_000 };
const RULES: Record<string, [Rule, Partial<Omit<LimitPolicy, keyof Rule>>?]> = {
  'fixed-clock': [{ algorithm: 'fixed_window', ...minute, alignment: 'clock' }],
  'fixed-first': [{ algorithm: 'fixed_window', ...minute, alignment: 'first_request' }],
  packed: [
    { algorithm: 'fixed_window', ...minute, alignment: 'clock' },
    { storage: 'packed', expectedSubjects: 1000 },
  ],
  log: [{ algorithm: 'sliding_window_log', ...minute }],
  buckets: [{ algorithm: 'sliding_window_counter', ...minute, buckets: 6 }],
  estimate: [{ algorithm: 'sliding_window_counter', ...minute, buckets: 1 }],
  gcra: [{ algorithm: 'gcra', ...minute, burst: 9 }],
  bucket: [{ algorithm: 'token_bucket', ...minute, capacity: 10, refill: 'continuous' }],
  interval: [{ algorithm: 'token_bucket', ...minute, capacity: 10, refill: 'interval' }],
  leaky: [{ algorithm: 'leaky_bucket', ...minute, queue: 10 }],
  permits: [{ algorithm: 'concurrency', limit: 10, leaseMs: 60_000 }],
  quota: [{ algorithm: 'quota', limit: 10, period: 'month' }],
  'per-subject': [{ algorithm: 'gcra', ...minute, burst: 9 }, { storage: 'subject' }],
  failures: [{ algorithm: 'fixed_window', ...minute, alignment: 'clock' }, { charge: 'on_failure' }],
  successes: [{ algorithm: 'gcra', ...minute, burst: 9 }, { charge: 'on_success' }],
  penalty: [
    { algorithm: 'fixed_window', limit: 2, windowMs: 1000, alignment: 'first_request' },
    { penalty: { denials: 2, windowMs: 10_000, blockMs: 60_000, maxBlockMs: 300_000 } },
  ],
};

const SUBJECTS = ['u1', 'a long text, which is hashed in the name of a counter: ü'];

/** Keys and values of Redis in the version of 2026-11-28, commit eea9957b. */
const RECORDED = JSON.parse(readFileSync(new URL('stored-states.json', import.meta.url), 'utf8')) as object;

let server: Awaited<ReturnType<typeof createTestRedis>>;
let redis: Redis;

beforeAll(async () => {
  server = await createTestRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

function checkOf(name: string, subject: string, cost: number): Check {
  const [rule, over = {}] = RULES[name] ?? [];
  if (rule === undefined) throw new Error(name);
  const stored = policyBy(rule, { name, per: ['user'], ...over });
  const compiled = compileLimit(stored, { id: 5 }, { timeZone: 'UTC', billingAnchorDay: 1, nowMs: T0_MS });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.errors));
  const { policy, keyStem } = compiled.limit;
  return { key: counterKey('acme', keyStem, [dimensionValue('user', subject) ?? '']), policy, cost };
}

/** Requests of every algorithm, some with a receipt, then each way of amending one. */
async function play(): Promise<void> {
  for (const [step, cost] of [1, 3, 2, 7, 1].entries()) {
    const nowUs = (T0_MS + step * 700) * 1000 + step;
    for (const name of Object.keys(RULES)) {
      for (const subject of SUBJECTS) {
        const id = `${name}/${subject}/${step}`;
        const order = {
          key: receiptKey('acme', id),
          holder: holderOf(id),
          fingerprint: 17,
          keepMs: 3_600_000,
          expiresAfterMs: step === 1 ? 30_000 : 0,
        };
        // Not of the estimate: the times until its reset, which a receipt contains, were corrected since.
        const hasReceipt =
          name !== 'estimate' && (step % 2 === 1 || ['permits', 'failures', 'successes'].includes(name));
        const request: StoreRequest = {
          checks: [checkOf(name, subject, cost)],
          peek: false,
          ...(hasReceipt ? { receipt: order } : {}),
        };
        await sendBatch(redis, [request], { nowUs });
      }
    }
  }
  const nowUs = (T0_MS + 5000) * 1000;
  for (const name of Object.keys(RULES)) {
    const [first = '', second = ''] = SUBJECTS.map((subject) => receiptKey('acme', `${name}/${subject}/1`));
    await sendAmendment(redis, { op: 'settle', receiptKey: first, cost: 1, overrun: 'cap' }, { nowUs });
    await sendAmendment(redis, { op: 'refundReceipt', receiptKey: second, reason: 'failure' }, { nowUs });
    await sendAmendment(redis, { op: 'charge', checks: [checkOf(name, 'u1', 2)] }, { nowUs });
  }
}

/** Every key, its type and content, in hexadecimal digits. */
async function stored(): Promise<Record<string, string>> {
  const hex = (bytes: Buffer | null) => (bytes ?? Buffer.alloc(0)).toString('hex');
  const entries = (await redis.keys('*')).sort().map(async (key): Promise<[string, string]> => {
    if ((await redis.type(key)) === 'string') return [key, hex(await redis.getBuffer(key))];
    const fields = Object.entries(await redis.hgetallBuffer(key)).map(
      ([field, value]) => `${field} ${hex(value)}`,
    );
    return [key, fields.sort().join('\n')];
  });
  return Object.fromEntries(await Promise.all(entries));
}

it('names of keys and stored states are those of earlier versions, so that nodes of both share counters', async () => {
  await play();
  expect(await stored()).toEqual(RECORDED);
});
