import { type LimitPolicy, nominalWindowMs, type Rule } from '@tollgate/contracts';
import { isBlocking } from '@tollgate/contracts/limit-scope';
import { formatNumber } from './number-format.js';
import { formatTimeLeft } from './time-format.js';

/** Requests in one step, as shares of the limit. */
export interface Moment {
  passed: number;
  /** Above the limit: marked or borrowed. */
  beyond: number;
  delayed: number;
  denied: number;
}

export interface Simulation {
  moments: Moment[];
  /** Time range of the chart, ms. */
  lengthMs: number;
  highest: number;
}

/** Steps per window, and windows in the chart. */
const STEPS = 16;
const WINDOWS = 3;

/** Demand per window as a share of the limit. A pause before the last window lets capacity return. */
const LOAD = 1.8;
const PAUSE = { from: 1.75, to: 2.25 };

/** Share of the chart during which the pool has spare capacity. */
const SPARE_UNTIL = 0.85;

/** Simulates steady traffic above the limit. Simplified: shapes follow the algorithm, numbers are rounded. */
export function simulate(policy: LimitPolicy): Simulation {
  const bucket = bucketOf(policy);
  const step = LOAD / STEPS;
  const total = STEPS * WINDOWS;
  const moments: Moment[] = [];
  for (let i = 0; i < total; i++) {
    const at = i / STEPS;
    const request = at >= PAUSE.from && at < PAUSE.to ? 0 : step;
    bucket.advance(i);
    const taken = bucket.take(request);
    // A leaky bucket passes one request at a time; faster requests wait.
    const waits = policy.algorithm === 'leaky_bucket' ? Math.max(0, taken - 1 / STEPS) : 0;
    const over = pastLimit(policy, bucket, request - taken, at / WINDOWS);
    moments.push({ ...over, passed: taken - waits, delayed: over.delayed + waits });
  }
  return { moments, lengthMs: nominalWindowMs(policy) * WINDOWS, highest: step };
}

/**
 * Outcome of demand above the limit.
 * @param way progress of the chart, 0 to 1
 */
function pastLimit(
  policy: LimitPolicy,
  bucket: Bucket,
  request: number,
  way: number,
): Pick<Moment, 'beyond' | 'delayed' | 'denied'> {
  const throttle = isBlocking(policy) ? undefined : policy.throttle;
  const taking = (more: number) => (request > 0 ? bucket.takeBeyond(request, more) : 0);
  switch (throttle?.mode) {
    case 'soft': {
      const beyond = taking(throttle.percent / 100);
      return { beyond, delayed: 0, denied: request - beyond };
    }
    case 'elastic': {
      const beyond = way < SPARE_UNTIL ? taking(throttle.maxPercent / 100) : 0;
      return { beyond, delayed: 0, denied: request - beyond };
    }
    case 'queue': {
      const delayed = taking(Math.min(1, throttle.maxDelayMs / nominalWindowMs(policy)));
      return { beyond: 0, delayed, denied: request - delayed };
    }
    default:
      return { beyond: 0, delayed: 0, denied: request };
  }
}

/** A model of the algorithm: a level, in shares of the limit, that falls with each request and refills with time. */
abstract class Bucket {
  protected beyond = 0;
  protected level: number;

  constructor(protected readonly capacity = 1) {
    this.level = capacity;
  }

  abstract advance(step: number): void;

  take(request: number): number {
    const taken = Math.max(0, Math.min(request, this.level));
    this.level -= taken;
    return taken;
  }

  /** Takes up to `more` above the limit. */
  takeBeyond(request: number, more: number): number {
    const taken = Math.max(0, Math.min(request, more - this.beyond));
    this.beyond += taken;
    return taken;
  }
}

/** Refills at the end of each window. */
class WindowBucket extends Bucket {
  override advance(step: number): void {
    if (step % STEPS !== 0) return;
    this.level = Math.min(this.capacity, this.level + 1);
    this.beyond = 0;
  }
}

/** Refills evenly. */
class EvenBucket extends Bucket {
  override advance(): void {
    const owed = Math.min(this.beyond, 1 / STEPS);
    this.beyond -= owed;
    this.level = Math.min(Math.max(this.capacity, 1 / STEPS), this.level + 1 / STEPS - owed);
  }
}

/** Refills as requests leave the window. */
class SlidingBucket extends Bucket {
  /** Use in each step of the window, newest last. */
  private readonly window: Array<{ taken: number; beyond: number }> = [];

  override advance(): void {
    this.window.push({ taken: 0, beyond: 0 });
    const left = this.window.length > STEPS ? this.window.shift() : undefined;
    this.level += left?.taken ?? 0;
    this.beyond -= left?.beyond ?? 0;
  }

  override take(request: number): number {
    const taken = super.take(request);
    (this.window.at(-1) as { taken: number }).taken += taken;
    return taken;
  }

  override takeBeyond(request: number, more: number): number {
    const taken = super.takeBeyond(request, more);
    (this.window.at(-1) as { beyond: number }).beyond += taken;
    return taken;
  }
}

/** Counts the current window, and the previous one by the part that still overlaps, in whole requests. */
class EstimateBucket extends Bucket {
  private current = 0;
  private previous = 0;

  constructor(private readonly limit: number) {
    super();
  }

  override advance(step: number): void {
    const elapsed = step % STEPS;
    if (elapsed === 0) {
      this.previous = this.current;
      this.current = 0;
    }
    const weighted = Math.floor((this.previous * this.limit * (STEPS - elapsed)) / STEPS) / this.limit;
    this.level = this.capacity - this.current - weighted;
  }

  override take(request: number): number {
    const taken = super.take(request);
    this.current += taken;
    return taken;
  }

  override takeBeyond(request: number, more: number): number {
    const taken = Math.max(0, Math.min(request, this.level + more));
    this.level -= taken;
    this.current += taken;
    return taken;
  }
}

function bucketOf(policy: LimitPolicy): Bucket {
  if (isBlocking(policy)) return new WindowBucket(0);
  switch (policy.algorithm) {
    case 'fixed_window':
    case 'quota':
      return new WindowBucket();
    case 'sliding_window_log':
      return new SlidingBucket();
    case 'sliding_window_counter':
      return policy.buckets === 1 ? new EstimateBucket(policy.limit) : new SlidingBucket();
    case 'concurrency':
      return new EvenBucket();
    case 'token_bucket': {
      const capacity = Math.min(2, policy.capacity / policy.limit);
      return policy.refill === 'interval' ? new WindowBucket(capacity) : new EvenBucket(capacity);
    }
    case 'gcra':
      return new EvenBucket(Math.min(2, (policy.burst + 1) / policy.limit));
    case 'leaky_bucket':
      return new EvenBucket(Math.min(2, (policy.queue + 1) / policy.limit));
  }
}

const PERIODS = { day: 'a day', week: 'a week', month: 'a month', billing: 'a billing period' } as const;

/**
 * One sentence about callers at the limit: `Up to 110 requests a minute pass, the last 10 marked; then 429 for up to
 * 1 min`.
 */
export function describeAtLimit(policy: LimitPolicy): string {
  const { throttle, enforcement } = policy;
  if (enforcement?.mode === 'shadow') return 'Shadow mode: nothing is denied, only counted.';
  if (isBlocking(policy)) return 'Every request is denied with 403.';
  const refusal = `then 429 ${untilWhen(policy)}.`;
  const base = policy.limit;
  switch (throttle?.mode) {
    case 'soft': {
      const more = Math.floor((base * throttle.percent) / 100);
      return `Up to ${amount(policy, base + more)} pass, the last ${formatNumber(more)} marked; ${refusal}`;
    }
    case 'elastic': {
      const more = Math.floor((base * throttle.maxPercent) / 100);
      return `Up to ${amount(policy, base)} pass, and up to ${formatNumber(more)} more while pool ${throttle.pool} has spare capacity; ${refusal}`;
    }
    case 'queue':
      return `Up to ${amount(policy, base)} pass at once; further requests are delayed by up to ${formatTimeLeft(throttle.maxDelayMs)}; ${refusal}`;
    default:
      return `Up to ${amount(policy, base)} pass; ${refusal}`;
  }
}

/** `110 requests a minute`. */
function amount(rule: Rule, limit: number): string {
  const requests = `${formatNumber(limit)} ${limit === 1 ? 'request' : 'requests'}`;
  switch (rule.algorithm) {
    case 'quota':
      return `${requests} ${PERIODS[rule.period]}`;
    case 'concurrency':
      return `${requests} at the same time`;
    default:
      return `${requests} ${perWindow(rule.windowMs)}`;
  }
}

function perWindow(windowMs: number): string {
  const units = { 'a second': 1000, 'a minute': 60_000, 'an hour': 3_600_000, 'a day': 86_400_000 };
  const unit = Object.entries(units).find(([, ms]) => ms === windowMs)?.[0];
  return unit ?? `every ${formatTimeLeft(windowMs)}`;
}

/** The longest wait after a denial. */
function untilWhen(rule: Rule): string {
  switch (rule.algorithm) {
    case 'quota':
      return 'until the next period begins in the tenant’s time zone';
    case 'concurrency':
      return 'until one of them ends';
    case 'fixed_window':
    case 'sliding_window_log':
    case 'sliding_window_counter':
      return `for up to ${formatTimeLeft(rule.windowMs)}`;
    case 'token_bucket':
      return rule.refill === 'interval'
        ? `for up to ${formatTimeLeft(rule.windowMs)}`
        : `for up to ${spacing(rule)}`;
    default:
      return `for up to ${spacing(rule)}`;
  }
}

function spacing(rule: Rule): string {
  const ms = nominalWindowMs(rule) / rule.limit;
  return ms < 1000 ? `${Math.max(1, Math.ceil(ms))} ms` : formatTimeLeft(ms);
}
