import {
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type LimitPolicy,
  nominalWindowMs,
  type OnMissing,
} from './limit-policy.js';

/** Limits that admit more, and those that admit less, in some respect; one that was changed both ways is in both lists. */
export interface LimitComparison {
  /** `api/name`, sorted. */
  increased: string[];
  decreased: string[];
}

/** In which ways a limit was changed. */
interface Direction {
  increased: boolean;
  decreased: boolean;
}

/**
 * Compares the limits that apply before a change with those that apply after it. A limit is increased where it admits more
 * in any respect (more at once, more in time, a wider band, counted in more places, enforced for fewer, removed), decreased
 * where it admits less. What cannot be put in an order, like another algorithm, is both.
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
  const directions = [
    ofRule(before, after),
    ofThrottle(before, after),
    ofSets(before.operations, after.operations),
    ofDimensions(before.per, after.per),
    // A higher value admits more.
    ofNumbers(WHEN_AWAY[before.onUnavailable], WHEN_AWAY[after.onUnavailable]),
    ofMissing(before, after),
    ofCharge(before, after),
    // An attempt in flight occupies room for this time.
    ofNumbers(attemptTimeoutOf(after), attemptTimeoutOf(before)),
    // A higher value admits less.
    ofNumbers(enforcedPercent(after), enforcedPercent(before)),
    ofNumbers(leaseMsOf(after), leaseMsOf(before)),
  ];
  return {
    increased: directions.some(({ increased }) => increased),
    decreased: directions.some(({ decreased }) => decreased),
  };
}

function ofNumbers(before: number, after: number): Direction {
  return { increased: after > before, decreased: after < before };
}

function ofRule(before: LimitPolicy, after: LimitPolicy): Direction {
  if (before.algorithm !== after.algorithm || shapeOf(before) !== shapeOf(after)) return BOTH;
  const amounts = ofNumbers(atOnce(before), atOnce(after));
  // Slots come back when their holder is done; how long a dead one holds its own is the only time that there is.
  const isHeld = before.algorithm === 'concurrency' || after.algorithm === 'concurrency';
  const rates = isHeld
    ? ofNumbers(nominalWindowMs(after), nominalWindowMs(before))
    : ofNumbers(before.limit * nominalWindowMs(after), after.limit * nominalWindowMs(before));
  // Sub-windows that are finer forget what was used later.
  const steps = ofNumbers(bucketsOf(after), bucketsOf(before));
  return {
    increased: amounts.increased || rates.increased || steps.increased,
    decreased: amounts.decreased || rates.decreased || steps.decreased,
  };
}

/** Two of a name that count in ways that differ by more than a number. */
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

/** What passes beyond the limit: percent of it, or a wait in ms. */
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

/** Operations that a limit covers: of none that are named it covers all. Covering more admits less. */
function ofSets(before: readonly string[], after: readonly string[]): Direction {
  const holds = (set: readonly string[], other: readonly string[]) =>
    set.length === 0 || (other.length > 0 && other.every((name) => set.includes(name)));
  const [isMore, isLess] = [holds(after, before), holds(before, after)];
  if (isMore && isLess) return NEITHER;
  return isMore === isLess ? BOTH : { increased: isLess, decreased: isMore };
}

/** Counting by one dimension more gives each of its values a counter of its own; counting all tenants together takes it. */
function ofDimensions(before: readonly string[], after: readonly string[]): Direction {
  const own = (per: readonly string[]) => per.filter((name) => name !== 'global');
  const [a, b] = [own(before), own(after)];
  const [isMore, isLess] = [a.every((name) => b.includes(name)), b.every((name) => a.includes(name))];
  const dimensions =
    isMore && isLess ? NEITHER : isMore === isLess ? BOTH : { increased: isMore, decreased: isLess };
  const tenants = ofNumbers(before.includes('global') ? 0 : 1, after.includes('global') ? 0 : 1);
  return {
    increased: dimensions.increased || tenants.increased,
    decreased: dimensions.decreased || tenants.decreased,
  };
}

const WHEN_MISSING: Record<OnMissing, number> = { refuse: 0, shared: 1, skip: 2 };

/** Every request has a value for no dimensions: then the rule makes no difference. */
function ofMissing(before: LimitPolicy, after: LimitPolicy): Direction {
  if (!countsByValues(before) || !countsByValues(after)) return NEITHER;
  return ofNumbers(WHEN_MISSING[before.onMissing ?? 'shared'], WHEN_MISSING[after.onMissing ?? 'shared']);
}

/** Two limits of which one alone counts failures differ by their charge. */
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

/** What one node holds of a leased limit, others are refused. */
function leaseMsOf({ consistency }: LimitPolicy): number {
  return consistency?.mode === 'leased' ? consistency.leaseMs : 0;
}
