import { type LimitPolicy, limitPolicySchema, type Rule } from '@tollgate/contracts';
import { algorithmOf } from '@tollgate/limiter/algorithms';
import { compileLimit } from '@tollgate/limiter/rules';
import type { Random } from '@tollgate/test-kit/random';

const KINDS = [
  'clock',
  'first_request',
  'log',
  'counter',
  'estimate',
  'continuous',
  'interval',
  'queue',
  'gcra',
  'quota',
] as const;

/** The hour before clocks are set back in Berlin: the day has 25 hours. */
const START_MS = Date.UTC(2026, 9, 24, 21);
const CALENDAR = { timeZone: 'Europe/Berlin', billingAnchorDay: 31 };

/** Two limits on the same requests; the first never refunds. */
export function randomPair(next: Random['below']): [LimitPolicy, LimitPolicy] {
  const unitMs = next(4) === 0 ? 3_600_000 : 1;
  for (;;) {
    const narrow = randomLimit(next, unitMs, 'narrow');
    const wide = randomLimit(next, unitMs, 'wide');
    if (compileLimit(narrow).ok && compileLimit(wide).ok) return [narrow, wide];
  }
}

function randomLimit(next: Random['below'], unitMs: number, name: string): LimitPolicy {
  const many = name === 'wide' ? 24 : 5;
  const throttle = next(5) === 0 ? { throttle: { mode: 'soft', percent: 10 + next(90) } } : {};
  const common = { name, api: 'shop', operations: [], per: [], onUnavailable: 'share' };
  return { ...common, ...randomRule(next, unitMs, many), ...throttle } as LimitPolicy;
}

function randomRule(next: Random['below'], unitMs: number, many: number): Rule {
  const limit = 1 + next(many);
  const windowMs = 12 * (1 + next(5)) * unitMs;
  switch (KINDS[next(unitMs === 1 ? KINDS.length - 1 : KINDS.length)]) {
    case 'clock':
      return { algorithm: 'fixed_window', limit, windowMs, alignment: 'clock' };
    case 'first_request':
      return { algorithm: 'fixed_window', limit, windowMs, alignment: 'first_request' };
    case 'log':
      return { algorithm: 'sliding_window_log', limit, windowMs };
    case 'counter':
      return { algorithm: 'sliding_window_counter', limit, windowMs, buckets: 2 + next(3) };
    case 'estimate':
      return { algorithm: 'sliding_window_counter', limit, windowMs, buckets: 1 };
    case 'continuous':
      return { algorithm: 'token_bucket', limit, windowMs, capacity: 1 + next(many), refill: 'continuous' };
    case 'interval':
      return { algorithm: 'token_bucket', limit, windowMs, capacity: 1 + next(many), refill: 'interval' };
    case 'queue':
      return { algorithm: 'leaky_bucket', limit, windowMs, queue: next(many) };
    case 'gcra':
      return { algorithm: 'gcra', limit, windowMs, burst: next(many) };
    default:
      return { algorithm: 'quota', limit, period: next(2) === 0 ? 'day' : 'week' };
  }
}

/** `policy` with one unit less; undefined if there is none. */
export function withLessRoom(policy: LimitPolicy): LimitPolicy | undefined {
  const less = { ...policy };
  if (less.algorithm === 'token_bucket') less.capacity--;
  else if (less.algorithm === 'gcra') less.burst--;
  else if (less.algorithm !== 'leaky_bucket') less.limit--;
  return limitPolicySchema.safeParse(less).success &&
    compileLimit(less).ok &&
    policy.algorithm !== 'leaky_bucket'
    ? less
    : undefined;
}

/**
 * Whether `wide` denies, delays or marks a request that `narrow` allows, charging both only if both allow it. Requests
 * are sent at the boundaries of windows and intervals, when `narrow` allows one more, and in between.
 */
export function reaches(
  narrow: LimitPolicy,
  wide: LimitPolicy,
  next: Random['below'],
  rounds: number,
): boolean {
  const first = new Counter(narrow);
  const second = new Counter(wide);
  const strides = [narrow, wide].flatMap(stridesOf);
  let waitUs = 0;
  let nowUs = (START_MS + next(1000)) * 1000;
  for (let round = 0; round < rounds; round++) {
    const strideUs = strides[next(strides.length)] ?? 1;
    const edgeUs = strideUs - (nowUs % strideUs);
    nowUs += [waitUs, waitUs, 0, 1, edgeUs, edgeUs - 1, strideUs, strideUs - 1][next(8)] ?? 0;
    waitUs = 0;
    for (let burst = next(3) === 0 ? next(8) : 100; burst >= 0; burst--) {
      const cost = next(4) === 0 ? 2 : 1;
      const passed = first.step(cost, nowUs);
      if (!passed.allowed) {
        waitUs = Math.max(0, passed.waitUs);
        break;
      }
      const met = second.step(cost, nowUs);
      if (!met.allowed || met.over || met.waitUs > 0) return true;
      first.state = passed.state;
      second.state = met.state;
    }
  }
  return false;
}

function stridesOf(policy: LimitPolicy): number[] {
  if (policy.algorithm === 'quota') return [3_600_000_000, 23 * 3_600_000_000, 25 * 3_600_000_000];
  if (policy.algorithm === 'concurrency') return [];
  const windowUs = policy.windowMs * 1000;
  const buckets = policy.algorithm === 'sliding_window_counter' ? policy.buckets : 1;
  return [windowUs, windowUs / buckets, Math.ceil(windowUs / policy.limit)];
}

class Counter {
  state: unknown;

  constructor(private readonly stored: LimitPolicy) {}

  step(cost: number, nowUs: number) {
    const compiled = compileLimit(this.stored, {}, { ...CALENDAR, nowMs: Math.floor(nowUs / 1000) });
    if (!compiled.ok) throw new Error(`${this.stored.name} cannot be compiled`);
    const { policy } = compiled.limit;
    return algorithmOf(policy.kind).step(this.state, policy, cost, nowUs, 0);
  }
}
