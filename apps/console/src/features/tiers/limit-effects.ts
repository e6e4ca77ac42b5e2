import {
  type AlgorithmName,
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type LimitPolicy,
  nominalWindowMs,
} from '@tollgate/contracts';

/** Whether callers may do more after a change, less, more in one way and less in another, or just the same. */
export type Effect = 'loosened' | 'tightened' | 'mixed' | 'neutral';

/** One word for several effects: loosened and tightened together are mixed. */
export function combine(effects: readonly Effect[]): Effect {
  const seen = new Set(effects);
  if (seen.has('mixed') || (seen.has('loosened') && seen.has('tightened'))) return 'mixed';
  if (seen.has('loosened')) return 'loosened';
  return seen.has('tightened') ? 'tightened' : 'neutral';
}

/** Compares what is allowed in the long run; where that is equal, what is allowed at once. */
export function rateEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  const [old, now] = [sustained(before), sustained(after)];
  if (old && now) {
    const inTheLongRun = order(old.limit * now.windowMs, now.limit * old.windowMs);
    return combine([inTheLongRun, atOnceEffect(before, after)]);
  }
  // How many run at the same time says nothing about how many come in an hour.
  return old || now ? 'mixed' : atOnceEffect(before, after);
}

/** Compares two ways of counting at the same rate. */
export function algorithmEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  if ((before.algorithm === 'concurrency') !== (after.algorithm === 'concurrency')) return 'mixed';
  const acrossBoundary = order(ACROSS_BOUNDARY[before.algorithm] ?? 0, ACROSS_BOUNDARY[after.algorithm] ?? 0);
  const comparable = before.algorithm in ACROSS_BOUNDARY && after.algorithm in ACROSS_BOUNDARY;
  return combine([atOnceEffect(before, after), comparable ? acrossBoundary : 'neutral']);
}

/** Compares how many calls may arrive at the same instant. */
export function atOnceEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  return order(atOnce(before), atOnce(after));
}

/** A limit on fewer operations leaves the others free; no list at all means every operation. */
export function coverageEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  const all = (limit: LimitPolicy) => limit.operations.length === 0;
  const gained =
    !all(before) && (all(after) || after.operations.some((name) => !before.operations.includes(name)));
  const lost =
    !all(after) && (all(before) || before.operations.some((name) => !after.operations.includes(name)));
  if (gained && lost) return 'mixed';
  return gained ? 'tightened' : lost ? 'loosened' : 'neutral';
}

/** Each dimension more divides the callers into more counters, each with the whole limit; `global` joins them. */
export function countedEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  const effects = [
    ...after.per.filter((name) => !before.per.includes(name)).map((name) => name === 'global'),
    ...before.per.filter((name) => !after.per.includes(name)).map((name) => name !== 'global'),
  ];
  return combine(effects.map((joins) => (joins ? 'tightened' : 'loosened')));
}

/** Compares what passes past the limit. */
export function throttleEffect({ throttle: before }: LimitPolicy, { throttle: after }: LimitPolicy): Effect {
  const [old, now] = [past(before), past(after)];
  if (old.most === 0 || now.most === 0 || old.of === now.of) return order(old.most, now.most);
  return 'mixed';
}

/** Compares for how many of a hundred counters a refusal is one. */
export function enforcementEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  return order(enforcedPercent(after), enforcedPercent(before));
}

export function chargeEffect(
  { charge: before = 'always' }: LimitPolicy,
  { charge: after = 'always' }: LimitPolicy,
): Effect {
  if (before === after) return 'neutral';
  if (before === 'always') return 'loosened';
  return after === 'always' ? 'tightened' : 'mixed';
}

/** Attempts that expire sooner leave room sooner. */
export function attemptsEffect(
  { attemptTimeoutMs: before = DEFAULT_ATTEMPT_TIMEOUT_MS }: LimitPolicy,
  { attemptTimeoutMs: after = DEFAULT_ATTEMPT_TIMEOUT_MS }: LimitPolicy,
): Effect {
  return order(after, before);
}

const WITHOUT_VALUE = { refuse: 0, shared: 1, skip: 2 } as const;

/** Compares the handling of requests without a value. */
export function missingEffect(
  { onMissing: before = 'shared' }: LimitPolicy,
  { onMissing: after = 'shared' }: LimitPolicy,
): Effect {
  return order(WITHOUT_VALUE[before], WITHOUT_VALUE[after]);
}

const GENEROSITY = { deny: 0, share: 1, allow: 2 } as const;

export function outageEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  return order(GENEROSITY[before.onUnavailable], GENEROSITY[after.onUnavailable]);
}

/** How much more than the limit may come together around a boundary, from exact to twice. */
const ACROSS_BOUNDARY: Partial<Record<AlgorithmName, number>> = {
  sliding_window_log: 0,
  sliding_window_counter: 1,
  fixed_window: 2,
  quota: 2,
};

/** What passes in the long run; undefined where only what runs at the same time is limited. */
function sustained(policy: LimitPolicy): { limit: bigint; windowMs: bigint } | undefined {
  if (policy.algorithm === 'concurrency') return undefined;
  return { limit: BigInt(policy.limit), windowMs: BigInt(nominalWindowMs(policy)) };
}

function atOnce(policy: LimitPolicy): number {
  switch (policy.algorithm) {
    case 'gcra':
      return policy.burst + 1;
    case 'token_bucket':
      return policy.capacity;
    case 'leaky_bucket':
      return policy.queue + 1;
    default:
      return policy.limit;
  }
}

/** How much passes past the limit, and what that is a number of. */
function past(throttle: LimitPolicy['throttle']): { most: number; of: string } {
  switch (throttle?.mode) {
    case 'soft':
      return { most: throttle.percent, of: 'more' };
    case 'elastic':
      return { most: throttle.maxPercent, of: `more from ${throttle.pool}` };
    case 'queue':
      return { most: throttle.maxDelayMs, of: 'delay' };
    default:
      return { most: 0, of: 'nothing' };
  }
}

function enforcedPercent({ enforcement }: LimitPolicy): number {
  if (enforcement?.mode === 'percent') return enforcement.percent;
  return enforcement?.mode === 'shadow' ? 0 : 100;
}

function order(before: number | bigint, after: number | bigint): Effect {
  if (after === before) return 'neutral';
  return after > before ? 'loosened' : 'tightened';
}
