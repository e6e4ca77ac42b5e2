import type { LimitPolicy, Rule } from '@tollgate/contracts';
import {
  type CompiledLimit,
  compileLimit,
  counterKey,
  dimensionValue,
  globalTag,
  overflowKey,
  receiptKey,
} from '@tollgate/limiter/rules';
import { type Check, type ReceiptOrder, RedisStore } from '@tollgate/limiter/stores';
import { compilePool } from '@tollgate/policy';
import { createDocumentedUsers, createTestRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendAmendment, sendBatch } from '../../../limiter/test/parts.js';
import { policyBy } from '../../../limiter/test/policies.js';
import { exchangePool } from '../scripts/pools.js';
import { CounterInspector } from './counter-inspector.js';

/** Far ahead, so that Redis keeps what the scripts write. */
const T0_US = Date.UTC(2040, 0, 31, 12, 0, 30) * 1000 + 7;
const AT = '2040-01-31T12:00:30.000Z';
const MINUTE = '2040-01-31T12:00:00.000Z';
const HOLDER = 4711;
const rate = { limit: 100, windowMs: 60_000 };

const USER = dimensionValue('user', 'u1') ?? '';

function limitBy(policy: LimitPolicy): CompiledLimit {
  const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: T0_US / 1000 };
  const limit = compileLimit(policy, { id: 5 }, context);
  if (!limit.ok) throw new Error(JSON.stringify(limit.errors));
  return limit.limit;
}

function checkBy(stored: LimitPolicy): Check {
  const { policy, keyStem } = limitBy(stored);
  return { key: counterKey('acme', keyStem, [USER]), policy, cost: 3 };
}

const CASES: [Rule, object][] = [
  [
    { algorithm: 'fixed_window', ...rate, alignment: 'clock' },
    { usedUnits: 3, windowStartedAt: MINUTE },
  ],
  [
    { algorithm: 'fixed_window', ...rate, alignment: 'first_request' },
    { usedUnits: 3, windowStartedAt: AT },
  ],
  [
    { algorithm: 'quota', limit: 100, period: 'month' },
    { usedUnits: 3, periodStartedAt: '2040-01-01T00:00:00.000Z' },
  ],
  [{ algorithm: 'gcra', ...rate, burst: 10 }, { emptyAt: '2040-01-31T12:00:31.800007Z' }],
  [{ algorithm: 'leaky_bucket', ...rate, queue: 10 }, { emptyAt: '2040-01-31T12:00:31.800007Z' }],
  [
    { algorithm: 'token_bucket', ...rate, capacity: 100, refill: 'continuous' },
    { emptyAt: '2040-01-31T12:00:31.800007Z' },
  ],
  [
    { algorithm: 'token_bucket', ...rate, capacity: 100, refill: 'interval' },
    { missingTokensUnits: 3, refilledAt: MINUTE },
  ],
  [
    { algorithm: 'sliding_window_counter', ...rate, buckets: 1 },
    { windowUnits: 3, previousWindowUnits: 0, windowStartedAt: MINUTE },
  ],
  [
    { algorithm: 'sliding_window_counter', ...rate, buckets: 6 },
    { usedUnits: 3, newestSubWindowStartedAt: AT, newestFirstUnits: [3] },
  ],
  [
    { algorithm: 'sliding_window_log', ...rate },
    { usedUnits: 3, admissions: [{ at: '2040-01-31T12:00:30.000007Z', units: 3 }] },
  ],
  [
    { algorithm: 'concurrency', limit: 100, leaseMs: 60_000 },
    { permits: Array(3).fill({ holder: HOLDER, expiresAt: '2040-01-31T12:01:30.000Z' }) },
  ],
];

describe('inspection of keys', () => {
  let server: Awaited<ReturnType<typeof createTestRedis>>;
  let redis: Redis;
  let inspector: CounterInspector;

  beforeAll(async () => {
    server = await createTestRedis();
    redis = new Redis(server.url);
    const urlAs = await createDocumentedUsers(redis);
    inspector = await CounterInspector.connect(urlAs('inspector'), 5000);
  });
  afterAll(async () => {
    inspector?.close();
    redis?.disconnect();
    await server?.stop();
  });

  async function charge(check: Check, receipt?: ReceiptOrder, nowUs = T0_US): Promise<void> {
    const request = { checks: [check], peek: false, ...(receipt === undefined ? {} : { receipt }) };
    expect(await sendBatch(redis, [request], { nowUs })).toMatchObject([{ allowed: true }]);
  }

  const orderOf = (request: string): ReceiptOrder => ({
    key: receiptKey('acme', request),
    holder: HOLDER,
    fingerprint: 12,
    keepMs: 3_600_000,
    expiresAfterMs: 5000,
  });

  it.each(CASES)('decodes a state of %o', async (rule, value) => {
    await redis.flushall();
    const check = checkBy(policyBy(rule));
    await charge(check, orderOf('r'));
    const found = await inspector.read(check.key);
    expect(found).toMatchObject({
      key: check.key,
      kind: 'counter',
      name: { tenant: 'acme', api: 'url-shortener', limit: 'create-minute', values: ['u1'] },
      value: { ...value, policyId: 5 },
    });
    expect(found?.expiresInMs).toBeGreaterThan(0);
  });

  it('decodes failures and attempts in flight separately', async () => {
    const rule = { algorithm: 'fixed_window', ...rate, alignment: 'clock' } as const;
    const check = checkBy(policyBy(rule, { charge: 'on_failure', attemptTimeoutMs: 16_000 }));
    await charge(check, orderOf('attempt'));
    expect(await inspector.read(check.key)).toMatchObject({
      name: { stateVersion: 'f1a1' },
      value: {
        algorithm: 'attempts_fixed_window',
        failures: null,
        inFlight: [{ expiresAt: '2040-01-31T12:00:46.000Z', units: 3 }],
      },
    });
  });

  it('decodes a receipt with the policies of its checks', async () => {
    const check = checkBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }));
    await charge(check, orderOf('order 1'));
    const key = CounterInspector.receiptKey('acme', 'order 1');
    expect(await inspector.read(key)).toMatchObject({
      kind: 'receipt',
      name: { tenant: 'acme' },
      value: {
        status: 'charged',
        holder: HOLDER,
        fingerprint: 12,
        chargedAt: '2040-01-31T12:00:30.000007Z',
        reservedUntil: '2040-01-31T12:00:35.000007Z',
        lifetimeMs: 3_600_000,
        reportedAt: null,
        checks: [
          {
            key: check.key,
            costUnits: 3,
            result: 'allowed',
            policy: { algorithm: 'gcra', policyId: 5, shadow: false, charge: 'always' },
          },
        ],
      },
    });
  });

  it('decodes the receipt of an expired reservation', async () => {
    const check = checkBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }));
    const receipt = orderOf('order 2');
    await charge(check, receipt);
    await sendAmendment(redis, { op: 'renew', receiptKey: receipt.key }, { nowUs: T0_US + 5_000_000 });
    expect(await inspector.read(receipt.key)).toMatchObject({
      value: { status: 'expired', reservedUntil: '2040-01-31T12:00:35.000007Z' },
    });
  });

  it('decodes the reports of a pool', async () => {
    const nowMs = Date.UTC(2040, 0, 31, 12);
    const pool = compilePool('maps', {
      ...{ name: 'shared', operations: [], capacity: 1000, reclaimPercent: 80 },
      warmUp: { ms: 60_000, startPercent: 20 },
    });
    const borrower = { tenant: 'acme', weight: 2, borrowed: 7, demand: [0, 9, 1] as const };
    await exchangePool(
      redis,
      pool,
      {
        node: 'n1',
        own: [1, 20, 300],
        demand: [1, 25, 400],
        borrowers: [borrower],
        services: [{ service: 'tiles', utilizationPermille: 1200 }],
        coldStartAgeMs: 1000,
      },
      nowMs,
    );
    expect(await inspector.read(pool.key)).toMatchObject({
      kind: 'pool',
      name: { api: 'maps', pool: 'shared' },
      value: {
        correction: { reportedAt: '2040-01-31T12:00:00.000Z' },
        coldStartAt: '2040-01-31T11:59:59.000Z',
        services: [{ service: 'tiles', utilizationPermille: 1200 }],
        nodes: [
          {
            node: 'n1',
            ownUnits: { critical: 1, normal: 20, background: 300 },
            borrowers: [
              {
                tenant: 'acme',
                weight: 2,
                borrowedUnits: 7,
                demandUnits: { critical: 0, normal: 9, background: 1 },
              },
            ],
          },
        ],
      },
    });
  });

  it('lists reservations by the time of their refund', async () => {
    const store = new RedisStore({ url: server.url, deadlineMs: 5000 });
    await store.connected(WAIT_LIMIT_MS);
    const receipt = { ...orderOf('kept'), expiresAfterMs: 3_600_000 };
    await store.charge({
      checks: [checkBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }))],
      peek: false,
      receipt,
    });
    await store.close();
    expect(await inspector.read('tg:reservations')).toMatchObject({
      kind: 'reservations',
      value: { nextDue: expect.arrayContaining([expect.objectContaining({ receipt: receipt.key })]) },
    });
  });

  it('finds a limit of every algorithm, by values and by scan', async () => {
    await redis.flushall();
    const before = checkBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }));
    const after = checkBy(policyBy({ algorithm: 'fixed_window', ...rate, alignment: 'clock' }));
    const other = checkBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }, { name: 'create-minute-2' }));
    const { keyStem } = limitBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }));
    const overflow = { ...before, key: overflowKey('acme', keyStem) };
    for (const check of [before, after, other, overflow]) await charge(check);
    const limit = { tenant: 'acme', api: 'url-shortener', limit: 'create-minute' };
    expect(await inspector.find({ ...limit, values: [['user', 'u1']] }, 10)).toEqual([after.key, before.key]);
    expect(await inspector.find(limit, 10)).toEqual([after.key, before.key, overflow.key].sort());
    expect(await inspector.find(limit, 1)).toHaveLength(1);
    expect(await inspector.find({ ...limit, tenant: 'ac*' }, 10)).toEqual([]);
    expect(await inspector.read(overflow.key)).toMatchObject({ name: { beyondKeyBudget: true } });
    for (const ip of ['u1', '10.1.2.3/24']) {
      await expect(inspector.find({ ...limit, values: [['ip', ip]] }, 10)).rejects.toThrow(
        `ip: "${ip}" is not an IP address`,
      );
    }
  });

  it('finds a counter of a network', async () => {
    const prefixes = { ipv4Prefix: 24, ipv6Prefix: 56 };
    const { keyStem, policy } = limitBy(
      policyBy({ algorithm: 'gcra', ...rate, burst: 10 }, { per: ['ip'], ...prefixes }),
    );
    const limit = { tenant: 'acme', api: 'url-shortener', limit: 'create-minute' };
    for (const [address, network] of [
      ['10.1.2.3', '10.1.2.0/24'],
      ['2001:db8:1:2ff::7', '2001:db8:1:200::/56'],
    ] as const) {
      const key = counterKey('acme', keyStem, [dimensionValue('ip', address, prefixes) ?? '']);
      await charge({ key, policy, cost: 3 });
      expect(await inspector.find({ ...limit, values: [['ip', network]] }, 10)).toEqual([key]);
    }
  });

  it('finds and decodes counters of a packed limit', async () => {
    const stored = policyBy(
      { algorithm: 'fixed_window', ...rate, alignment: 'clock' },
      { name: 'packed', storage: 'packed', expectedSubjects: 1000, per: ['user'] },
    );
    const one = checkBy(stored);
    const other = { ...one, key: counterKey('acme', limitBy(stored).keyStem, ['=a-user-with-a-long-name']) };
    const overflow = { ...one, key: overflowKey('acme', limitBy(stored).keyStem) };
    for (const check of [one, other, overflow]) await charge(check);
    const limit = { tenant: 'acme', api: 'url-shortener', limit: 'packed' };
    expect(await inspector.find({ ...limit, values: [['user', 'u1']] }, 10)).toEqual([one.key]);
    expect(await inspector.find(limit, 10)).toEqual([one.key, other.key, overflow.key].sort());
    const state = { algorithm: 'packed_window', policyId: 5, usedUnits: 3, windowStartedAt: MINUTE };
    expect(await inspector.read(one.key)).toMatchObject({
      kind: 'packed',
      name: { tenant: 'acme', values: ['u1'] },
      value: state,
    });
    const [hash = ''] = other.key.split('|');
    expect(await inspector.read(hash)).toMatchObject({
      value: { counters: 1, first: [{ values: [expect.stringMatching(/^\(hash [\w-]{14}\)$/)], ...state }] },
    });
    expect((await inspector.read(overflow.key))?.name).toMatchObject({ beyondKeyBudget: true });
    expect(await inspector.read(`${hash}|=none`)).toBeUndefined();
    await redis.set('{acme}p0123456789:1', 'text');
    expect((await inspector.read('{acme}p0123456789:1|=u'))?.value).toEqual({
      problem: 'a string instead of a hash; decisions ignore it',
    });
  });

  it('finds and decodes all counters of a subject, and each of them', async () => {
    const over = { storage: 'subject' as const, per: ['user'] };
    const checks = [
      checkBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }, { ...over, name: 'rate' })),
      checkBy(
        policyBy({ algorithm: 'fixed_window', ...rate, alignment: 'clock' }, { ...over, name: 'count' }),
      ),
    ];
    for (const check of checks) await charge(check);
    const [ofRate = '', ofCount = ''] = checks.map(({ key }) => key);
    const limit = { tenant: 'acme', api: 'url-shortener', limit: 'count' };
    expect(await inspector.find({ ...limit, values: [['user', 'u1']] }, 10)).toEqual([ofCount]);
    expect(await inspector.find(limit, 10)).toEqual([ofCount]);
    const state = { algorithm: 'fixed_window', policyId: 5, usedUnits: 3, windowStartedAt: MINUTE };
    expect(await inspector.read(ofCount)).toMatchObject({
      kind: 'subject',
      name: { tenant: 'acme', values: ['u1'], limit: 'count', stateVersion: 'f1' },
      value: state,
    });
    const [hash = ''] = ofRate.split('|');
    expect(await inspector.read(hash)).toMatchObject({
      value: {
        counters: 2,
        first: [
          { limit: 'rate', algorithm: 'gcra' },
          { limit: 'count', ...state },
        ],
      },
    });
    expect(await inspector.read(`${hash}|g1:none`)).toBeUndefined();
    await redis.hset(hash, 'odd', '1');
    expect((await inspector.read(hash))?.value).toMatchObject({ counters: 3 });
  });

  it('names a candidate, an override, an address, a hashed and a missing value', async () => {
    const { keyStem, policy } = limitBy(policyBy({ algorithm: 'gcra', ...rate, burst: 10 }));
    const values = [dimensionValue('ip', '192.0.2.1') ?? '', dimensionValue('path', '/a b') ?? '', '?'];
    const candidate = counterKey('acme', `${keyStem}!`, values);
    const override = counterKey(globalTag('maps'), `${keyStem}!60000`, []);
    for (const key of [candidate, override]) await charge({ key, policy, cost: 3 });
    expect((await inspector.read(candidate))?.name).toMatchObject({
      candidate: true,
      values: ['192.0.2.1', expect.stringMatching(/^\(hash [\w-]{22}\)$/), '(missing)'],
    });
    expect((await inspector.read(override))?.name).toMatchObject({
      allTenantsOf: 'maps',
      overrideWindowMs: 60_000,
    });
  });

  it('says why a value cannot be decoded', async () => {
    const values = {
      '{acme}:f1:maps:a': 'nonsense',
      '{acme}:f1:maps:b': '5000000000000999',
      '{acme}:z9:maps:c': '5000000000000070',
      '{acme}:r1=x': '\x9f',
    };
    for (const [key, text] of Object.entries(values)) await redis.set(key, text);
    await redis.sadd('{acme}:g1:maps:d', 'member');
    const problems = [...Object.keys(values), '{acme}:g1:maps:d'].map(async (key) => {
      const found = await inspector.read(key);
      return found?.value.problem;
    });
    expect(await Promise.all(problems)).toEqual([
      'not a state f1 of fixed_window: "nonsense"; decisions ignore it',
      'not a state f1 of fixed_window: "5000000000000999"; decisions ignore it',
      expect.stringMatching(/^unknown state version z9; this version of Tollgate reads f1, g1/),
      expect.stringContaining('not a supported MessagePack value'),
      'a set instead of a string; decisions ignore it',
    ]);
    await expect(inspector.read('tg:usage')).rejects.toThrow('"tg:usage" is not a key of a counter');
    expect(await inspector.read('{acme}:f1:maps:none')).toBeUndefined();
  });

  it('changes nothing', async () => {
    const keys = (await redis.keys('{*')).sort();
    const contents = () => Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    const before = await contents();
    await Promise.all(keys.map((key) => inspector.read(key)));
    expect(keys.length).toBeGreaterThan(0);
    expect(await contents()).toEqual(before);
  });

  it('rejects an address without a server', async () => {
    await expect(CounterInspector.connect('redis://127.0.0.1:1', 1000)).rejects.toThrow('ECONNREFUSED');
    await expect(CounterInspector.connect('http://x', 1000)).rejects.toThrow();
  });
});
