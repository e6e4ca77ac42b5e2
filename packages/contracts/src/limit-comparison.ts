import { prefixesOf } from './limit-address.js';
import type { LabelAmounts } from './limit-amounts.js';
import {
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type LimitPolicy,
  nominalWindowMs,
  type OnMissing,
} from './limit-policy.js';
import { coversApisOf, isBlocking } from './limit-scope.js';

/** A limit that changed both ways is in both lists. */
export interface LimitComparison {
  /** `api/name`, sorted. */
  increased: string[];
  decreased: string[];
}

interface Direction {
  increased: boolean;
  decreased: boolean;
}

/**
 * A limit is increased where it admits more in any respect (amount, time, band, counters, enforcement, removal),
 * decreased where it admits less. Changes without an order, such as another algorithm, are both.
 */
export function compareLimits(
  before: readonly LimitPolicy[],
  after: readonly LimitPolicy[],
): LimitComparison {
  const [old, next] = [byKey(before), byKey(after)];
  const increased: string[] = [];
  const decreased: string[] = [];
  for (const key of [...new Set([...old.keys(), ...next.keys()])].sort()) {
    const direction = directionOf(old.get(key), next.get(key));
    if (direction.increased) increased.push(key);
    if (direction.decreased) decreased.push(key);
  }
  return { increased, decreased };
}

const BOTH: Direction = { increased: true, decreased: true };
const NEITHER: Direction = { increased: false, decreased: false };

function byKey(limits: readonly LimitPolicy[]): Map<string, LimitPolicy> {
  return new Map(limits.map((limit) => [`${limit.api}/${limit.name}`, limit]));
}

function directionOf(before: LimitPolicy | undefined, after: LimitPolicy | undefined): Direction {
  if (before === undefined) return { increased: false, decreased: true };
  if (after === undefined) return { increased: true, decreased: false };
  return union(
    ofRule(before, after),
    ofThrottle(before, after),
    ofSets(before.operations, after.operations),
    // Counting the requests of more APIs admits less.
    ofInclusion(coversApisOf(before, after), coversApisOf(after, before)),
    ofDimensions(before.per, after.per),
    ofPrefixes(before, after),
    ofAmounts(before, after),
    // A higher value admits more.
    ofNumbers(WHEN_AWAY[before.onUnavailable], WHEN_AWAY[after.onUnavailable]),
    ofMissing(before, after),
    ofCharge(before, after),
    // A pending attempt occupies room for this time.
    ofNumbers(attemptTimeoutOf(after), attemptTimeoutOf(before)),
    ofNumbers(enforcedPercent(after), enforcedPercent(before)),
    ofNumbers(leaseMsOf(after), leaseMsOf(before)),
    ofPenalty(before, after),
    ofNumbers(before.rolloverPercent ?? 0, after.rolloverPercent ?? 0),
    ofWarmUp(before, after),
    // Requests of children take units of the tenant.
    ofNumbers(Number(after.sharedWithChildren ?? false), Number(before.sharedWithChildren ?? false)),
  );
}

function union(...directions: readonly Direction[]): Direction {
  return {
    increased: directions.some(({ increased }) => increased),
    decreased: directions.some(({ decreased }) => decreased),
  };
}

/** Direction of a change between sets. @param includesOld the new set includes the old one */
function ofInclusion(includesOld: boolean, includesNew: boolean): Direction {
  if (includesOld && includesNew) return NEITHER;
  return includesOld === includesNew ? BOTH : { increased: includesOld, decreased: includesNew };
}

function ofNumbers(before: number, after: number): Direction {
  return { increased: after > before, decreased: after < before };
}

function ofPenalty({ penalty: before }: LimitPolicy, { penalty: after }: LimitPolicy): Direction {
  if (before === undefined || after === undefined) {
    return { increased: before !== undefined, decreased: after !== undefined };
  }
  return union(
    ofNumbers(before.denials, after.denials),
    ofNumbers(after.windowMs, before.windowMs),
    ofNumbers(after.blockMs, before.blockMs),
    ofNumbers(after.maxBlockMs, before.maxBlockMs),
  );
}

function ofWarmUp({ warmUp: before }: LimitPolicy, { warmUp: after }: LimitPolicy): Direction {
  if (before === undefined || after === undefined) {
    return { increased: before !== undefined, decreased: after !== undefined };
  }
  return union(ofNumbers(after.ms, before.ms), ofNumbers(before.startPercent, after.startPercent));
}

function ofRule(before: LimitPolicy, after: LimitPolicy): Direction {
  if (isBlocking(before) || isBlocking(after)) return ofNumbers(before.limit, after.limit);
  if (before.algorithm !== after.algorithm || shapeOf(before) !== shapeOf(after)) return BOTH;
  const amounts = ofNumbers(atOnce(before), atOnce(after));
  // Permits return when released; only the timeout of an unreleased permit is a time.
  const isHeld = before.algorithm === 'concurrency' || after.algorithm === 'concurrency';
  const rates = isHeld
    ? ofNumbers(nominalWindowMs(after), nominalWindowMs(before))
    : ofNumbers(before.limit * nominalWindowMs(after), after.limit * nominalWindowMs(before));
  // Finer sub-windows expire usage later.
  const steps = ofNumbers(bucketsOf(after), bucketsOf(before));
  return union(amounts, rates, steps);
}

/** Differences in counting that have no order. */
function shapeOf(policy: LimitPolicy): string {
  switch (policy.algorithm) {
    case 'fixed_window':
      return policy.alignment;
    case 'token_bucket':
      return policy.refill;
    case 'sliding_window_counter':
      return policy.buckets === 1 ? 'estimate' : 'sub-windows';
    case 'quota':
      return policy.period === 'billing' ? 'billing' : 'calendar';
    default:
      return '';
  }
}

function atOnce(policy: LimitPolicy): number {
  switch (policy.algorithm) {
    case 'gcra':
      return policy.burst + 1;
    case 'leaky_bucket':
      return policy.queue + 1;
    case 'token_bucket':
      return policy.capacity;
    default:
      return policy.limit;
  }
}

function bucketsOf(policy: LimitPolicy): number {
  return policy.algorithm === 'sliding_window_counter' ? policy.buckets : 0;
}

function ofThrottle(before: LimitPolicy, after: LimitPolicy): Direction {
  const [a, b] = [beyond(before), beyond(after)];
  if (a.mode !== b.mode && a.amount > 0 && b.amount > 0) return BOTH;
  return ofNumbers(a.amount, b.amount);
}

/** What is allowed above the limit: percent, or a delay in ms. */
function beyond({ throttle }: LimitPolicy): { mode: string; amount: number } {
  switch (throttle?.mode) {
    case 'soft':
      return { mode: 'soft', amount: throttle.percent };
    case 'elastic':
      return { mode: `elastic ${throttle.pool}`, amount: throttle.maxPercent };
    case 'queue':
      return { mode: 'queue', amount: throttle.maxDelayMs };
    default:
      return { mode: 'hard', amount: 0 };
  }
}

/** No named operation means all. Covering more admits less. */
function ofSets(before: readonly string[], after: readonly string[]): Direction {
  const holds = (set: readonly string[], other: readonly string[]) =>
    set.length === 0 || (other.length > 0 && other.every((name) => set.includes(name)));
  return ofInclusion(holds(before, after), holds(after, before));
}

/** An additional dimension gives each of its values a counter; `global` merges all tenants. */
function ofDimensions(before: readonly string[], after: readonly string[]): Direction {
  const own = (per: readonly string[]) => per.filter((name) => name !== 'global');
  const [a, b] = [own(before), own(after)];
  return union(
    ofInclusion(
      a.every((name) => b.includes(name)),
      b.every((name) => a.includes(name)),
    ),
    ofNumbers(before.includes('global') ? 0 : 1, after.includes('global') ? 0 : 1),
  );
}

/** A longer prefix gives each of its networks a counter. */
function ofPrefixes(before: LimitPolicy, after: LimitPolicy): Direction {
  if (!before.per.includes('ip') || !after.per.includes('ip')) return NEITHER;
  const [a, b] = [prefixesOf(before), prefixesOf(after)];
  return union(ofNumbers(a.ipv4Prefix, b.ipv4Prefix), ofNumbers(a.ipv6Prefix, b.ipv6Prefix));
}

/** A label without an amount has the limit; one of several that share an amount gains by its own. */
function ofAmounts(
  { amounts: before, ...old }: LimitPolicy,
  { amounts: after, ...next }: LimitPolicy,
): Direction {
  if (before === undefined && after === undefined) return NEITHER;
  if (before === undefined || after === undefined)
    return { increased: after === undefined, decreased: before === undefined };
  if (before.by !== after.by) return BOTH;
  const labels = new Set([...before.labels, ...after.labels].map(({ label }) => label));
  const ownOf = (amounts: LabelAmounts, label: string) =>
    amounts.labels.find((one) => one.label === label)?.limit;
  const directions = [...labels].map((label) => {
    const [a, b] = [ownOf(before, label), ownOf(after, label)];
    const own = ofNumbers(Number(a !== undefined), Number(b !== undefined));
    const others = { old: before.others ?? old.limit, next: after.others ?? next.limit };
    return union(ofNumbers(a ?? others.old, b ?? others.next), own);
  });
  return union(...directions, ofNumbers(before.others ?? old.limit, after.others ?? next.limit));
}

const WHEN_MISSING: Record<OnMissing, number> = { refuse: 0, shared: 1, skip: 2 };

/** Without dimensions, no value can be missing. */
function ofMissing(before: LimitPolicy, after: LimitPolicy): Direction {
  if (!countsByValues(before) || !countsByValues(after)) return NEITHER;
  return ofNumbers(WHEN_MISSING[before.onMissing ?? 'shared'], WHEN_MISSING[after.onMissing ?? 'shared']);
}

function attemptTimeoutOf({ attemptTimeoutMs = DEFAULT_ATTEMPT_TIMEOUT_MS }: LimitPolicy): number {
  return attemptTimeoutMs;
}

function countsByValues({ per }: LimitPolicy): boolean {
  return per.some((name) => name !== 'global');
}

const WHEN_AWAY: Record<LimitPolicy['onUnavailable'], number> = { deny: 0, share: 1, allow: 2 };

function ofCharge(
  { charge: before = 'always' }: LimitPolicy,
  { charge: after = 'always' }: LimitPolicy,
): Direction {
  if (before === after) return NEITHER;
  if (before !== 'always' && after !== 'always') return BOTH;
  return { increased: before === 'always', decreased: after === 'always' };
}

function enforcedPercent({ enforcement }: LimitPolicy): number {
  if (enforcement?.mode === 'percent') return enforcement.percent;
  return enforcement?.mode === 'shadow' ? 0 : 100;
}

/** Capacity leased to a node is denied to the others. */
function leaseMsOf({ consistency }: LimitPolicy): number {
  return consistency?.mode === 'leased' ? consistency.leaseMs : 0;
}
