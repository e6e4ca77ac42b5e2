import {
  type GcraPolicy,
  type LimitPolicy,
  MAX_ROUNDING,
  MAX_WINDOW_MS,
  type PolicyOf,
} from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  type Compilation,
  type CompiledPolicy,
  extraOf,
  type Kind,
  reject,
  type Step,
} from './algorithm.js';

/**
 * Shared by gcra, token_bucket and leaky_bucket: a unit takes a fixed interval, and one stored time, the theoretical
 * arrival time (TAT), is the time until which admitted units occupy the limit.
 */
export interface CompiledVirtualTime extends CompiledPolicy {
  /** Time per unit: window ÷ limit, rounded up, so that the rate is never exceeded. */
  readonly intervalUs: number;
  /** Maximum distance of the TAT from now within the limit: interval × capacity. */
  readonly reachUs: number;
  /** Maximum distance including the widest throttle. */
  readonly maxAheadUs: number;
  /** Returned wait: none; the part above `reachUs` (a queue above the limit); all of it (a leaky bucket). */
  readonly pacing: 'none' | 'past_limit' | 'own_turn';
}

type Rated = Extract<LimitPolicy, { algorithm: 'gcra' | 'token_bucket' | 'leaky_bucket' }>;

/** Times relative to 2020-01-01 have 15 digits until 2051: with its mark, a state is one integer to Redis, 32 bytes less. */
const STATE_EPOCH_US = 1_577_836_800_000_000;

const PACING = { none: 0, past_limit: 1, own_turn: 2 };

/** The state is the TAT, microseconds since the Unix epoch. */
export function virtualTime<Stored extends Rated>(
  kind: Kind,
  wireId: number,
  stateVersion: string,
  capacityOf: (stored: Stored) => { field: string; capacity: number },
): Algorithm<Stored, CompiledVirtualTime, number> {
  const unpaced = kind === 'leaky_bucket' ? 'own_turn' : 'none';
  return {
    kind,
    wireId,
    stateVersion,
    endsAtOnce: false,
    isAdditive: kind !== 'leaky_bucket',

    compile(stored) {
      const band = extraOf(stored);
      if (!band.ok) return band;
      const { field, capacity } = capacityOf(stored);
      const interval = intervalOf(stored);
      if (!interval.ok) return interval;
      const leased = leasedCapacity(stored, capacity, interval.policy);
      if (!leased.ok) return leased;
      const maxDelayUs = stored.throttle?.mode === 'queue' ? stored.throttle.maxDelayMs * 1000 : 0;
      if (maxDelayUs > 0 && unpaced === 'own_turn') {
        return reject('throttle.mode', 'a leaky bucket is already a queue; set its length with queue');
      }
      const policy = policyOf(interval.policy, leased.policy, band.extra, maxDelayUs);
      return policy.maxAheadUs <= MAX_WINDOW_MS * 1000
        ? { ok: true, policy }
        : reject(
            field,
            `a ${field} of ${stored[field as keyof Stored]} would take more than 366 days to refill; lower it or shorten the window`,
          );
    },

    parameters: (policy) => [
      policy.extra * policy.intervalUs +
        (policy.pacing === 'past_limit' ? policy.maxAheadUs - policy.reachUs : 0),
      policy.intervalUs,
      policy.reachUs,
      policy.maxAheadUs,
      PACING[policy.pacing],
    ],

    step,

    refund(state, policy, units, atUs, nowUs) {
      const aheadUs = aheadOf(state, policy, nowUs);
      if (aheadUs === 0) return state;
      // Earlier charges cannot be pending for longer.
      const pendingUs = Math.max(0, atUs + policy.maxAheadUs - nowUs);
      return nowUs + Math.max(0, aheadUs - Math.min(pendingUs, policy.intervalUs * units));
    },

    // Usage is a time here, TAT minus now: converted to units by the old interval, and back by the new one. Usage above
    // a lowered limit is dropped.
    rebase(state, from, to, rule, atUs) {
      const usedUs = Math.min(Math.max(0, state - atUs), from.maxAheadUs);
      const { intervalUs: old } = from;
      const { intervalUs: next } = to;
      switch (rule) {
        case 'keep':
          return atUs + Math.min(to.maxAheadUs, rescale(usedUs, old, next));
        case 'reset':
          return undefined;
        case 'proportional':
          return atUs + Math.min(to.maxAheadUs, rescale(usedUs, from.reachUs, to.reachUs));
        case 'additive':
          return atUs + Math.min(to.maxAheadUs, rescale(Math.min(usedUs, from.reachUs), old, next));
      }
    },

    encode: (tatUs) => (tatUs - STATE_EPOCH_US).toFixed(0),
    decode: (text) => (/^\d{1,16}$/.test(text) ? Number(text) + STATE_EPOCH_US : undefined),
    share: (policy, nodes) =>
      policyOf(
        policy.intervalUs * nodes,
        Math.max(1, Math.floor(policy.capacity / nodes)),
        Math.floor(policy.extra / nodes),
        policy.pacing === 'past_limit' ? policy.maxAheadUs - policy.reachUs : 0,
      ),
    isBurst: (policy, cost, resetAfterUs) => unpaced === 'none' && resetAfterUs > policy.intervalUs * cost,
  };

  function policyOf(
    intervalUs: number,
    capacity: number,
    extra: number,
    maxDelayUs: number,
  ): CompiledVirtualTime {
    const reachUs = intervalUs * capacity;
    const maxAheadUs = reachUs + intervalUs * extra + maxDelayUs;
    const pacing = maxDelayUs > 0 ? 'past_limit' : unpaced;
    return {
      kind,
      intervalUs,
      reachUs,
      maxAheadUs,
      pacing,
      extra,
      capacity,
      horizonMs: Math.ceil(maxAheadUs / 1000),
    };
  }
}

/** A denied request leaves the state unchanged, so early retries cost nothing. */
function step(
  state: number | undefined,
  policy: CompiledVirtualTime,
  cost: number,
  nowUs: number,
): Step<number> {
  assertCost(cost);
  const { intervalUs, reachUs, maxAheadUs, extra, pacing } = policy;
  const aheadUs = aheadOf(state, policy, nowUs);
  const neededUs = aheadUs + intervalUs * cost;
  const allowedUs = (pacing === 'past_limit' ? maxAheadUs : reachUs) + extra * intervalUs;
  if (neededUs <= allowedUs) {
    // Charges above any limit are kept up to the capacity of the bucket.
    const nextUs = cost === 0 ? aheadUs : Math.min(neededUs, maxAheadUs);
    const pastUs = nextUs - reachUs;
    let waitUs = 0;
    if (pacing === 'past_limit') waitUs = Math.max(0, pastUs);
    else if (pacing === 'own_turn') waitUs = aheadUs;
    return {
      allowed: true,
      over: pastUs > 0 && pacing !== 'past_limit',
      state: cost === 0 ? state : nowUs + nextUs,
      remaining: Math.floor((reachUs - nextUs) / intervalUs),
      waitUs,
      resetAfterUs: nextUs,
    };
  }
  return {
    allowed: false,
    over: false,
    state,
    remaining: Math.floor((reachUs - aheadUs) / intervalUs),
    waitUs: intervalUs * cost > allowedUs ? -1 : neededUs - allowedUs,
    resetAfterUs: aheadUs,
  };
}

/** Distance of the TAT from now. Beyond twice the band it was written under a wrong clock and counts as 0. */
function aheadOf(state: number | undefined, { maxAheadUs }: CompiledVirtualTime, nowUs: number): number {
  const aheadUs = Math.max(0, (state ?? nowUs) - nowUs);
  return aheadUs > 2 * maxAheadUs ? 0 : aheadUs;
}

function intervalOf(stored: Rated): Compilation<number> {
  const windowUs = stored.windowMs * 1000;
  const intervalUs = Math.ceil(windowUs / stored.limit);
  if ((intervalUs * stored.limit) / windowUs - 1 <= MAX_ROUNDING) return { ok: true, policy: intervalUs };
  return reject(
    'limit',
    `${stored.limit} per ${stored.windowMs} ms requires an interval below microsecond precision; use fixed_window or a lower limit`,
  );
}

/** Leased units may be spent up to `leaseMs` later, when as many have been refilled: reserves that many. */
function leasedCapacity(stored: Rated, capacity: number, intervalUs: number): Compilation<number> {
  if (stored.consistency?.mode !== 'leased') return { ok: true, policy: capacity };
  if (stored.algorithm === 'leaky_bucket') {
    return reject('consistency.mode', 'a leaky bucket cannot be leased, because it schedules each request');
  }
  const kept = Math.ceil((stored.consistency.leaseMs * 1000) / intervalUs);
  return capacity > kept
    ? { ok: true, policy: capacity - kept }
    : reject(
        'consistency.leaseMs',
        `${kept} units are refilled within a lease of ${stored.consistency.leaseMs} ms, which is the whole burst; shorten the lease or allow a larger burst`,
      );
}

/** `us` × `to` ÷ `from`, rounded up, all below 2^48. Long division, because the product of two long times exceeds 2^53. */
function rescale(us: number, from: number, to: number): number {
  const whole = Math.floor(us / from);
  const part = us - whole * from;
  let [quotient, rest] = [0, 0];
  for (let place = 2 ** 42; place >= 1; place /= 64) {
    rest = rest * 64 + part * (Math.floor(to / place) % 64);
    const times = Math.floor(rest / from);
    quotient = quotient * 64 + times;
    rest -= times * from;
  }
  return whole * to + quotient + (rest > 0 ? 1 : 0);
}

/** Generic cell rate algorithm: one request per interval, plus a burst of `burst`. */
export const gcra = virtualTime<GcraPolicy>('gcra', 2, 'g1', ({ burst }) => ({
  field: 'burst',
  capacity: burst + 1,
}));

/** Continuously refilled bucket: available tokens are the capacity minus the stored time. */
export const tokenBucket = virtualTime<PolicyOf<'token_bucket'>>('token_bucket', 6, 't1', ({ capacity }) => ({
  field: 'capacity',
  capacity,
}));

/** Queue that drains at a constant rate: the first request runs immediately, others after a wait that the caller applies. */
export const leakyBucket = virtualTime<PolicyOf<'leaky_bucket'>>('leaky_bucket', 8, 'b1', ({ queue }) => ({
  field: 'queue',
  capacity: queue + 1,
}));
