import {
  type AlgorithmName,
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type LimitPolicy,
  nominalWindowMs,
} from '@tollgate/contracts';
import { ruleOf } from '../../lib/limit-fields.js';
import {
  ALGORITHM_NAMES,
  describeAttempts,
  describeCandidate,
  describeCharge,
  describeConsistency,
  describeDeadline,
  describeEnforcement,
  describeHeaders,
  describeMissing,
  describePer,
  describeThrottle,
} from '../../lib/limit-text.js';
import { formatAmount, formatDuration } from '../../lib/rate.js';

/** Whether callers may do more after a change, less, more in one way and less in another, or just the same. */
export type Effect = 'increased' | 'decreased' | 'mixed' | 'neutral';

/** One word for several effects: increased and decreased together are mixed. */
export function combine(effects: readonly Effect[]): Effect {
  const seen = new Set(effects);
  if (seen.has('mixed') || (seen.has('increased') && seen.has('decreased'))) return 'mixed';
  if (seen.has('increased')) return 'increased';
  return seen.has('decreased') ? 'decreased' : 'neutral';
}

/** Compares the sustained rate, then the burst. */
export function rateEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  const [old, now] = [sustained(before), sustained(after)];
  if (old && now) {
    const inTheLongRun = order(old.limit * now.windowMs, now.limit * old.windowMs);
    return combine([inTheLongRun, atOnceEffect(before, after)]);
  }
  // Concurrency and rate are not comparable.
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
  return gained ? 'decreased' : lost ? 'increased' : 'neutral';
}

/** Each dimension more divides the callers into more counters, each with the whole limit; `global` joins them. */
export function countedEffect(before: LimitPolicy, after: LimitPolicy): Effect {
  const effects = [
    ...after.per.filter((name) => !before.per.includes(name)).map((name) => name === 'global'),
    ...before.per.filter((name) => !after.per.includes(name)).map((name) => name !== 'global'),
  ];
  return combine(effects.map((joins) => (joins ? 'decreased' : 'increased')));
}

/** Compares the allowance above the limit. */
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
  if (before === 'always') return 'increased';
  return after === 'always' ? 'decreased' : 'mixed';
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

/** Sustained rate; undefined for concurrency limits. */
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

/** Allowance above the limit, and its unit. */
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
  return after > before ? 'increased' : 'decreased';
}

export interface FieldChange {
  label: string;
  before: string;
  after: string;
  effect: Effect;
}

export interface LimitChange {
  kind: 'added' | 'removed' | 'changed';
  api: string;
  name: string;
  effect: Effect;
  before: LimitPolicy | undefined;
  after: LimitPolicy | undefined;
  /** Empty for added and removed limits. */
  fields: FieldChange[];
}

/** Changes between two sets of limits; limits match by API and name. */
export function diffLimits(before: readonly LimitPolicy[], after: readonly LimitPolicy[]): LimitChange[] {
  const beforeByIdentity = new Map(before.map((limit) => [identityOf(limit), limit]));
  const afterIdentities = new Set(after.map(identityOf));
  const changes: LimitChange[] = [];
  for (const limit of after) {
    const old = beforeByIdentity.get(identityOf(limit));
    if (!old) changes.push(wholeChange('added', limit));
    else {
      const fields = diffFields(old, limit);
      if (fields.length > 0) {
        const effect = combine(fields.map((field) => field.effect));
        const { api, name } = limit;
        changes.push({ kind: 'changed', api, name, effect, before: old, after: limit, fields });
      }
    }
  }
  for (const limit of before) {
    if (!afterIdentities.has(identityOf(limit))) changes.push(wholeChange('removed', limit));
  }
  return changes;
}

/** `API/name`, the identity of a limit within a tier. */
export const identityOf = ({ api, name }: Pick<LimitPolicy, 'api' | 'name'>): string => `${api}/${name}`;

function wholeChange(kind: 'added' | 'removed', limit: LimitPolicy): LimitChange {
  const added = kind === 'added';
  return {
    kind,
    api: limit.api,
    name: limit.name,
    // One more limit can only refuse more, one less only fewer.
    effect: added ? 'decreased' : 'increased',
    before: added ? undefined : limit,
    after: added ? limit : undefined,
    fields: [],
  };
}

/** Notes a field that differs; one that `describe` has nothing to say about is left alone. */
type Note = (
  label: string,
  describe: (limit: LimitPolicy) => string | undefined,
  effectOf: (before: LimitPolicy, after: LimitPolicy) => Effect,
) => void;

function diffFields(before: LimitPolicy, after: LimitPolicy): FieldChange[] {
  const fields: FieldChange[] = [];
  const note: Note = (label, describe, effectOf) => {
    const [from, to] = [describe(before), describe(after)];
    if (from === to || from === undefined || to === undefined) return;
    fields.push({ label, before: from, after: to, effect: effectOf(before, after) });
  };
  note('Limit', (limit) => formatAmount(ruleOf(limit)), rateEffect);
  note('Algorithm', (limit) => ALGORITHM_NAMES[limit.algorithm], algorithmEffect);
  noteParameters(note);
  note('Past the limit', describeThrottle, throttleEffect);
  note('Enforced', describeEnforcement, enforcementEffect);
  note('Counts', describeCharge, chargeEffect);
  note('Attempts expire after', describeAttempts, attemptsEffect);
  note('Operations', ({ operations }) => operations.join(', ') || 'all', coverageEffect);
  note('Counted per', ({ per }) => describePer(per).replace(/^per /, ''), countedEffect);
  note('Without a value', describeMissing, missingEffect);
  note('Consistency', describeConsistency, neutral);
  note('Without Redis', ({ onUnavailable }) => onUnavailable, outageEffect);
  note('Wait for Redis', describeDeadline, neutral);
  note('Response headers', describeHeaders, neutral);
  note('Candidate', describeCandidate, neutral);
  return fields;
}

/** The numbers of an algorithm, compared where both limits have them. */
function noteParameters(note: Note): void {
  note('Burst', (limit) => ('burst' in limit ? String(limit.burst) : undefined), atOnceEffect);
  note('Bucket', (limit) => ('capacity' in limit ? String(limit.capacity) : undefined), atOnceEffect);
  note('Queue', (limit) => ('queue' in limit ? String(limit.queue) : undefined), atOnceEffect);
  note('Refilled', (limit) => ('refill' in limit ? REFILLS[limit.refill] : undefined), neutral);
  note('Steps', (limit) => ('buckets' in limit ? String(limit.buckets) : undefined), neutral);
  note('Windows start', (limit) => ('alignment' in limit ? ALIGNMENTS[limit.alignment] : undefined), neutral);
  note('Slot held', (limit) => ('leaseMs' in limit ? formatDuration(limit.leaseMs) : undefined), neutral);
}

const REFILLS = { continuous: 'steadily', interval: 'at intervals' } as const;
const ALIGNMENTS = { clock: 'on the clock', first_request: 'at the first request' } as const;
const neutral = (): Effect => 'neutral';
