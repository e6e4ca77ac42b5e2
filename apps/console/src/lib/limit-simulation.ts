import { type LimitPolicy, nominalWindowMs, type Rule, type Throttle } from '@tollgate/contracts';
import { isBlocking } from '@tollgate/contracts/limit-scope';
import { algorithmOf, type CompiledPolicy, kindOf } from '@tollgate/limiter/algorithms';
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

/** The chart's limit, and the requests in one step: demand above the limit. */
const UNITS = 160;
const REQUESTS = 18;

/** A pause before the last window, in windows, lets capacity return. */
const PAUSE = { from: 1.75, to: 2.25 };

/** Share of the chart during which the pool has spare capacity. */
const SPARE_UNTIL = 0.85;

/** A number that sub-windows divide. */
const WINDOW_MS = STEPS * 60_000;
const STEP_US = (WINDOW_MS / STEPS) * 1000;

/** A start of a window. */
const START_MS = WINDOW_MS * 2_000_000;
const MOST_SUB_WINDOWS = 60;

/** Steady traffic above the limit, decided by the algorithm's model for a limit of {@link UNITS} in the same proportions. */
export function simulate(policy: LimitPolicy): Simulation {
  const decide = isBlocking(policy) ? () => 'denied' as const : deciderOf(policy);
  const total = STEPS * WINDOWS;
  const moments: Moment[] = [];
  for (let i = 0; i < total; i++) {
    const moment: Moment = { passed: 0, beyond: 0, delayed: 0, denied: 0 };
    const isPause = i >= PAUSE.from * STEPS && i < PAUSE.to * STEPS;
    for (let request = 0; request < (isPause ? 0 : REQUESTS); request++) {
      const nowUs = START_MS * 1000 + Math.round((i + request / REQUESTS) * STEP_US);
      moment[decide(nowUs, i / total < SPARE_UNTIL)] += 1 / UNITS;
    }
    moments.push(moment);
  }
  return { moments, lengthMs: nominalWindowMs(policy) * WINDOWS, highest: REQUESTS / UNITS };
}

/** Decides one request after the other. `hasSpare`: the pool of an elastic limit has spare capacity. */
function deciderOf(policy: LimitPolicy): (nowUs: number, hasSpare: boolean) => keyof Moment {
  const compiled = compiledModel(policy);
  const algorithm = algorithmOf(compiled.kind);
  const isElastic = policy.throttle?.mode === 'elastic';
  let state: unknown;
  let holder = 0;
  return (nowUs, hasSpare) => {
    const current = isElastic && !hasSpare ? { ...compiled, extra: 0 } : compiled;
    const step = algorithm.step(state, current, 1, nowUs, ++holder);
    if (!step.allowed) return 'denied';
    state = step.state;
    if (step.waitUs > 0) return 'delayed';
    return step.over ? 'beyond' : 'passed';
  };
}

/** A throttle that the algorithm does not support is left out, as long as the form has an error. */
function compiledModel(policy: LimitPolicy): CompiledPolicy {
  const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: START_MS };
  const model = modelOf(policy);
  const algorithm = algorithmOf(kindOf(model));
  const compiled = algorithm.compile(model, context);
  if (compiled.ok) return compiled.policy;
  const { throttle: _unsupported, ...plain } = model;
  const hard = algorithm.compile(plain, context);
  if (!hard.ok) throw new Error(JSON.stringify(hard.errors));
  return hard.policy;
}

function modelOf(policy: LimitPolicy): LimitPolicy {
  const { name, api, operations, per, onUnavailable, throttle } = policy;
  const common = { name, api, operations, per, onUnavailable };
  return {
    ...common,
    ...ruleInUnits(policy),
    ...(throttle && { throttle: throttleInUnits(throttle, policy) }),
  };
}

/** The rule with a limit of {@link UNITS}; what exceeds two limits would not fit into the chart. */
function ruleInUnits(policy: LimitPolicy): Rule {
  const units = (value: number) => Math.max(1, Math.round(Math.min(2, value / policy.limit) * UNITS));
  const rate = { limit: UNITS, windowMs: WINDOW_MS };
  switch (policy.algorithm) {
    case 'fixed_window':
      return { algorithm: 'fixed_window', ...rate, alignment: policy.alignment };
    case 'quota':
      return { algorithm: 'fixed_window', ...rate, alignment: 'clock' };
    case 'sliding_window_log':
      return { algorithm: 'sliding_window_log', ...rate };
    case 'sliding_window_counter':
      return {
        algorithm: 'sliding_window_counter',
        ...rate,
        buckets: policy.buckets === 1 ? 1 : MOST_SUB_WINDOWS,
      };
    case 'token_bucket':
      return { algorithm: 'token_bucket', ...rate, capacity: units(policy.capacity), refill: policy.refill };
    case 'gcra':
      return { algorithm: 'gcra', ...rate, burst: units(policy.burst + 1) - 1 };
    case 'leaky_bucket':
      return { algorithm: 'leaky_bucket', ...rate, queue: units(policy.queue + 1) - 1 };
    case 'concurrency':
      return { algorithm: 'concurrency', limit: UNITS, leaseMs: WINDOW_MS };
  }
}

function throttleInUnits(throttle: Throttle, policy: LimitPolicy): Throttle {
  if (throttle.mode !== 'queue') return throttle;
  const maxDelayMs = Math.round((throttle.maxDelayMs / nominalWindowMs(policy)) * WINDOW_MS);
  return { ...throttle, maxDelayMs: Math.max(1, maxDelayMs) };
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
