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
  refuse,
  type Step,
} from './algorithm.js';

/**
 * What gcra, token_bucket and leaky_bucket have in common: a unit takes a fixed interval, and one stored time, the
 * theoretical arrival time (TAT), says until when what was admitted keeps the limit busy.
 */
export interface CompiledVirtualTime extends CompiledPolicy {
  /** Time that one unit takes: window ÷ limit, rounded up, so that the rate is never exceeded. */
  readonly intervalUs: number;
  /** How far ahead of now the TAT may come within the limit: interval × capacity. */
  readonly reachUs: number;
  /** How far it may come at all, by the widest throttle. */
  readonly bandUs: number;
  /** What is told of a wait: nothing; what exceeds `reachUs` (a queue past the limit); all of it (a leaky bucket). */
  readonly pacing: 'none' | 'past_limit' | 'own_turn';
}

type Rated = Extract<LimitPolicy, { algorithm: 'gcra' | 'token_bucket' | 'leaky_bucket' }>;

/**
 * Stored times count from 2020-01-01: 15 digits until 2051, so that a state with its mark is one integer to Redis
 * (32 bytes less a key than a string).
 */
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
        return refuse('throttle.mode', 'a leaky bucket is a queue itself; set its length by queue');
      }
      const policy = policyOf(interval.policy, leased.policy, band.extra, maxDelayUs);
      return policy.bandUs <= MAX_WINDOW_MS * 1000
        ? { ok: true, policy }
        : refuse(
            field,
            `a ${field} of ${stored[field as keyof Stored]} would take more than 366 days to refill; lower it or shorten the window`,
          );
    },

    parameters: (policy) => [
      policy.extra * policy.intervalUs +
        (policy.pacing === 'past_limit' ? policy.bandUs - policy.reachUs : 0),
      policy.intervalUs,
      policy.reachUs,
      policy.bandUs,
      PACING[policy.pacing],
    ],

    step,

    give(state, policy, units, atUs, nowUs) {
      const aheadUs = aheadOf(state, policy, nowUs);
      if (aheadUs === 0) return state;
      // Of what was charged then, no more than this can still be pending.
      const pendingUs = Math.max(0, atUs + policy.bandUs - nowUs);
      return nowUs + Math.max(0, aheadUs - Math.min(pendingUs, policy.intervalUs * units));
    },

    // Used is a time here, TAT less now; as units, it is that by the old interval, and by the new one a time again. What a
    // lowered limit has no room for is forgotten.
    rebase(state, from, to, rule, atUs) {
      const usedUs = Math.min(Math.max(0, state - atUs), from.bandUs);
      const { intervalUs: old } = from;
      const { intervalUs: next } = to;
      switch (rule) {
        case 'keep':
          return atUs + Math.min(to.bandUs, rescale(usedUs, old, next));
        case 'reset':
          return undefined;
        case 'proportional':
          return atUs + Math.min(to.bandUs, rescale(usedUs, from.reachUs, to.reachUs));
        case 'additive':
          return atUs + Math.min(to.bandUs, rescale(Math.min(usedUs, from.reachUs), old, next));
      }
    },

    encode: (tatUs) => (tatUs - STATE_EPOCH_US).toFixed(0),
    decode: (text) => (/^\d{1,16}$/.test(text) ? Number(text) + STATE_EPOCH_US : undefined),
    share: (policy, nodes) =>
      policyOf(
        policy.intervalUs * nodes,
        Math.max(1, Math.floor(policy.capacity / nodes)),
        Math.floor(policy.extra / nodes),
        policy.pacing === 'past_limit' ? policy.bandUs - policy.reachUs : 0,
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
    const bandUs = reachUs + intervalUs * extra + maxDelayUs;
    const pacing = maxDelayUs > 0 ? 'past_limit' : unpaced;
    return {
      kind,
      intervalUs,
      reachUs,
      bandUs,
      pacing,
      extra,
      capacity,
      horizonMs: Math.ceil(bandUs / 1000),
    };
  }
}

/** A refusal returns the state unchanged, so retrying early costs the caller nothing. */
function step(
  state: number | undefined,
  policy: CompiledVirtualTime,
  cost: number,
  nowUs: number,
): Step<number> {
  assertCost(cost);
  const { intervalUs, reachUs, bandUs, extra, pacing } = policy;
  const aheadUs = aheadOf(state, policy, nowUs);
  const neededUs = aheadUs + intervalUs * cost;
  const allowedUs = (pacing === 'past_limit' ? bandUs : reachUs) + extra * intervalUs;
  if (neededUs <= allowedUs) {
    // What was charged past any limit is kept as far as the bucket holds it.
    const nextUs = cost === 0 ? aheadUs : Math.min(neededUs, bandUs);
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

/**
 * How far ahead of now the TAT is. None is stored further ahead than the band; after a clock stepped back it may be. By
 * more than a band more, it is of a clock that was wrong, and counts as nothing: it would lock out for as long.
 */
function aheadOf(state: number | undefined, { bandUs }: CompiledVirtualTime, nowUs: number): number {
  const aheadUs = Math.max(0, (state ?? nowUs) - nowUs);
  return aheadUs > 2 * bandUs ? 0 : aheadUs;
}

function intervalOf(stored: Rated): Compilation<number> {
  const windowUs = stored.windowMs * 1000;
  const intervalUs = Math.ceil(windowUs / stored.limit);
  if ((intervalUs * stored.limit) / windowUs - 1 <= MAX_ROUNDING) return { ok: true, policy: intervalUs };
  return refuse(
    'limit',
    `${stored.limit} per ${stored.windowMs} ms needs a spacing finer than a microsecond can say; use fixed_window, or a lower limit`,
  );
}

/**
 * What a node leases at one moment it may spend up to `leaseMs` later, when as much has come back: that much is kept out
 * of the bucket, so that all together never exceed the limit as it stands.
 */
function leasedCapacity(stored: Rated, capacity: number, intervalUs: number): Compilation<number> {
  if (stored.consistency?.mode !== 'leased') return { ok: true, policy: capacity };
  if (stored.algorithm === 'leaky_bucket') {
    return refuse('consistency.mode', 'a leaky bucket cannot be leased: each request has a turn of its own');
  }
  const kept = Math.ceil((stored.consistency.leaseMs * 1000) / intervalUs);
  return capacity > kept
    ? { ok: true, policy: capacity - kept }
    : refuse(
        'consistency.leaseMs',
        `${kept} come back within a lease of ${stored.consistency.leaseMs} ms, which is all that passes at once; shorten the lease or allow a larger burst`,
      );
}

/**
 * `us` × `to` ÷ `from`, rounded up: exactly, by long division, since the product of two long times is no whole number of a
 * double. All are below 2^48.
 */
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

/**
 * Generic cell rate algorithm: one every interval, and `burst` more at once than the one that this lets through.
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const gcra = virtualTime<GcraPolicy>('gcra', 2, 'g1', ({ burst }) => ({
  field: 'burst',
  capacity: burst + 1,
}));

/**
 * A bucket that is refilled steadily. Tokens that are there are what the stored time leaves of the capacity: the bucket
 * is full when that time is over.
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const tokenBucket = virtualTime<PolicyOf<'token_bucket'>>('token_bucket', 6, 't1', ({ capacity }) => ({
  field: 'capacity',
  capacity,
}));

/**
 * A queue of at most `queue` that drains at a constant rate. The first request runs at once, each one behind it when its
 * turn comes; the wait is told, and the request is the caller's to hold.
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const leakyBucket = virtualTime<PolicyOf<'leaky_bucket'>>('leaky_bucket', 8, 'b1', ({ queue }) => ({
  field: 'queue',
  capacity: queue + 1,
}));
