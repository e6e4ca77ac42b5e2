import {
  type CarryOver,
  carriedOver,
  type LimitPolicy,
  nominalWindowMs,
  type TenantRecord,
} from '@tollgate/contracts';
import type { CompiledSlidingWindowLog, Kind } from '@tollgate/limiter/algorithms';
import type { WirePolicy } from '@tollgate/limiter/rules';
import { type Decided, MemoryStore } from '@tollgate/limiter/stores';
import { CompiledCatalogue, checkLimitPolicy, type EffectiveLimit } from '@tollgate/policy';
import { createTestRedis } from '@tollgate/test-kit';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendBatch } from '../../limiter/test/parts.js';
import { fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { KINDS, policiesOf } from '../../limiter/test/policy-arbitraries.js';
import { START_MS } from '../../limiter/test/script-clock.js';
import { SHORTENER } from '../src/testing/test-relay.js';

const RUNS = Number(process.env.CARRY_OVER_RUNS ?? 25);

const TENANT: TenantRecord = {
  kind: 'tenant',
  revision: 1,
  tenant: 'acme',
  status: 'active',
  tier: 'free',
  pinnedVersion: null,
  timeZone: 'Europe/Berlin',
  billingAnchorDay: 31,
};

/** The limit as compiled from a catalogue with consecutive versions of a tier, one limit each. */
function limitAt(
  limits: readonly LimitPolicy[],
  rules: readonly CarryOver[],
  changeMs: number,
): EffectiveLimit {
  const versions = limits.map((limit, i) => ({
    number: i + 1,
    limits: [limit],
    ...(i === 0 ? {} : { replaces: { number: i, carryOver: rules[i - 1], atMs: changeMs } }),
  }));
  const catalogue = CompiledCatalogue.compile(
    JSON.stringify({
      kind: 'catalogue',
      revision: 1,
      apis: [SHORTENER],
      tiers: [{ key: 'free', currentVersion: limits.length, versions }],
      serviceTokens: [],
    }),
  );
  const limit = catalogue.policyOf(TENANT)?.operation('url-shortener', 'createURL')?.limits[0];
  if (limit === undefined) throw new Error('missing limit');
  return limit;
}

const LENGTHS = ['windowMs', 'buckets', 'leaseMs', 'period', 'alignment'] as const;

/** `limit` with the lengths of `first`, so that only its size changes and the rules determine the result. */
function sameLengths(first: LimitPolicy, { throttle, ...limit }: LimitPolicy): LimitPolicy {
  const lengths = Object.entries(first).filter(([name]) => (LENGTHS as readonly string[]).includes(name));
  const plain = { ...limit, ...Object.fromEntries(lengths) } as LimitPolicy;
  const throttled = { ...plain, ...(throttle === undefined ? {} : { throttle }) };
  return checkLimitPolicy(throttled).ok ? throttled : plain;
}

const PARTS: readonly Kind[] = ['gcra', 'token_bucket', 'leaky_bucket'];

/** Maximum usage, in units, that is allowed or representable; more is dropped. */
function mostUsed(policy: WirePolicy): number {
  switch (policy.kind) {
    case 'sliding_window_log':
      return 65_535;
    case 'sliding_window_counter':
    case 'sliding_window_estimate':
      return 2 ** 52;
    case 'token_bucket_interval':
      return policy.capacity + policy.extra;
    default: {
      const { maxAheadUs, intervalUs } = policy as WirePolicy & { maxAheadUs?: number; intervalUs?: number };
      return maxAheadUs === undefined || intervalUs === undefined
        ? Number.POSITIVE_INFINITY
        : Math.ceil(maxAheadUs / intervalUs);
    }
  }
}

/**
 * Result of a rule for usage between two bounds; if units are partly used, a proportional result may be lower by one
 * unit's.
 */
function carriedBounds(
  [least, most]: readonly [number, number],
  from: WirePolicy,
  to: WirePolicy,
  rule: CarryOver,
): readonly [number, number] {
  // Held permits stay held.
  if (to.kind === 'concurrency') return rule === 'reset' ? [0, 0] : [least, most];
  const after = (used: number) => Math.min(mostUsed(to), carriedOver(used, from.capacity, to.capacity, rule));
  const isLess = PARTS.includes(to.kind) && rule === 'proportional';
  return [after(isLess ? Math.max(0, least - 1) : least), after(most)];
}

/** The queue of a log keeps its order, so nothing overtakes a request that waits longer than the new policy allows. */
function mustWait(policy: WirePolicy, { checks }: Decided): boolean {
  if (policy.kind !== 'sliding_window_log') return false;
  const { windowUs, maxDelayUs } = policy as WirePolicy & CompiledSlidingWindowLog;
  const newestInUs = (checks[0]?.resetAfterUs ?? 0) - windowUs;
  return maxDelayUs > 0 && newestInUs > maxDelayUs;
}

let counters = 0;

/** One counter, decided by the scripts and by the models at chosen times. */
class Counter {
  nowUs = START_MS * 1000;
  private readonly key = `{carry-${process.pid}-${counters++}}`;
  private readonly model = new MemoryStore({ clockUs: () => this.nowUs, maxKeys: 4 });

  constructor(private readonly redis: Redis) {}

  async decide(policy: WirePolicy, cost: number, peek = false): Promise<Decided> {
    const request = { checks: [{ key: this.key, policy, cost }], peek };
    const expected = this.model.chargeNow(request);
    expect(await sendBatch(this.redis, [request], { nowUs: this.nowUs })).toEqual([expected]);
    return expected;
  }

  async usedUnder(policy: WirePolicy): Promise<number> {
    const { checks } = await this.decide(policy, 1, true);
    return policy.capacity - (checks[0]?.remaining ?? Number.NaN);
  }
}

describe('policy changes at any time', () => {
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

  const rules = fc.array(fc.constantFrom<CarryOver>('keep', 'reset', 'proportional', 'additive'), {
    minLength: 3,
    maxLength: 3,
  });
  const permille = fc.oneof(fc.constant(0), fc.nat(400));
  const uses = fc.array(fc.record({ permille, cost: fc.integer({ min: 1, max: 5 }) }), {
    minLength: 1,
    maxLength: 25,
  });

  async function expectCarried(
    versions: readonly LimitPolicy[],
    ruleList: readonly CarryOver[],
    asked: readonly { permille: number; cost: number }[],
    laterPermille: number,
  ): Promise<void> {
    const windowUs = nominalWindowMs(versions[0] as LimitPolicy) * 1000;
    const counter = new Counter(redis);
    const first = limitAt(versions.slice(0, 1), ruleList, START_MS);
    const policyNow = () => first.policy(Math.floor(counter.nowUs / 1000), 'enforce');
    for (const { permille: part, cost } of asked) {
      counter.nowUs += Math.floor((windowUs * part) / 1000);
      await counter.decide(policyNow(), cost);
    }
    // Changes have millisecond precision.
    const changeMs = Math.ceil((counter.nowUs + (windowUs * laterPermille) / 1000) / 1000);
    counter.nowUs = changeMs * 1000;
    const used = await counter.usedUnder(policyNow());
    let bounds: readonly [number, number] = [used, used];
    let policy = policyNow();
    for (let count = 2; count <= versions.length; count++) {
      const to = limitAt(versions.slice(0, count), ruleList, changeMs).policy(changeMs, 'enforce');
      bounds = carriedBounds(bounds, policy, to, ruleList[count - 2] as CarryOver);
      policy = to;
    }
    const carried = await counter.usedUnder(policy);
    expect(carried).toBeGreaterThanOrEqual(bounds[0]);
    expect(carried).toBeLessThanOrEqual(bounds[1]);
    const remaining = policy.capacity - carried;
    const decided = remaining > 0 ? await counter.decide(policy, remaining) : undefined;
    const isBlocked = decided !== undefined && mustWait(policy, decided);
    if (decided !== undefined) expect(decided.allowed).toBe(!isBlocked);
    expect(await counter.usedUnder(policy)).toBe(isBlocked ? carried : Math.max(carried, policy.capacity));
  }

  it.each<LimitPolicy>([
    fixedWindowPolicy({ limit: 2 ** 40 }),
    policyBy({ algorithm: 'quota', limit: 2 ** 40, period: 'month' }),
  ])('$algorithm: usage of a tiny limit, in proportion to a huge one, can still be counted', async (huge) => {
    const tiny = { ...huge, limit: 1 };
    const used = [{ permille: 0, cost: 1_000_000_000 }];
    await expectCarried([huge, tiny, huge], ['keep', 'proportional', 'keep'], used, 0);
  });

  it.each(KINDS)(
    '%s: used and remaining follow the rules of one or several changes, and added capacity is available at once',
    async (kind) => {
      const versions = fc
        .array(policiesOf(kind), { minLength: 2, maxLength: 4 })
        .map(([first, ...others]) =>
          [first, ...others].map((limit) => sameLengths(first as LimitPolicy, limit as LimitPolicy)),
        );
      await fc.assert(fc.asyncProperty(versions, rules, uses, fc.nat(400), expectCarried), {
        numRuns: RUNS,
      });
    },
  );
});
