import { MAX_LOG_UNITS, type PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  bytesOf,
  type Compilation,
  type CompiledPolicy,
  carriedOver,
  extraOf,
  numberAt,
  refuse,
  type Step,
} from './algorithm.js';

export interface CompiledSlidingWindowLog extends CompiledPolicy {
  readonly windowUs: number;
  /** The longest that a request past the limit may be asked to wait; 0: it is refused instead. */
  readonly maxDelayUs: number;
}

/** What was admitted at `atUs`, microseconds since the Unix epoch; `units` is 1 or more. */
export interface Admission {
  readonly atUs: number;
  readonly units: number;
}

/** The oldest first, each later than the one before it. */
export type LogState = readonly Admission[];

const NEWEST_BYTES = 7;
const TOTAL_BYTES = 3;
const HEADER_BYTES = NEWEST_BYTES + TOTAL_BYTES;

/** An entry is a time, modulo 2^48 µs (nearly nine years, so counted back from the newest it is exact), and units. */
const TIME_BYTES = 6;
const ENTRY_BYTES = TIME_BYTES + 1;
const TIME_CYCLE_US = 2 ** 48;
const MAX_ENTRY_UNITS = 255;

/**
 * Exact: a request passes if it is within the limit together with all that was admitted in the window that ends now;
 * what was admitted exactly a window ago has left it. Requests of one moment all count.
 *
 * A queue logs a request past the limit at the moment at which it may run: the first at which it fits and no earlier one
 * is overtaken.
 *
 * Where the clock stepped back, admissions later than now stay counted, and new ones take the moment of the newest. Is
 * that further ahead than a window and the longest delay, all count as nothing, so that nobody is locked out for longer.
 *
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const slidingWindowLog: Algorithm<
  PolicyOf<'sliding_window_log'>,
  CompiledSlidingWindowLog,
  LogState
> = {
  kind: 'sliding_window_log',
  wireId: 3,
  stateVersion: 'l1',

  compile,
  parameters: (policy) => [policy.extra, policy.capacity, policy.windowUs, policy.maxDelayUs],

  step(state, policy, cost, nowUs): Step<LogState> {
    assertCost(cost);
    const { capacity, extra, windowUs, maxDelayUs } = policy;
    const most = capacity + extra;
    const log = currentLog(state, policy, nowUs);
    const total = sum(log);
    const newestUs = log.at(-1)?.atUs ?? 0;
    const passUs = cost > most ? Number.POSITIVE_INFINITY : fitsAt(log, total + cost - most, windowUs);
    const queues = maxDelayUs > 0;
    const runUs = Math.max(nowUs, newestUs, queues ? passUs : 0);
    const delayUs = queues ? runUs - nowUs : 0;
    const refusedForUs = Math.max(0, (queues ? runUs : passUs) - nowUs - maxDelayUs);
    const allowed = refusedForUs === 0;
    const charged = allowed && cost > 0;
    const used = allowed ? total + cost : total;
    const waitUs = allowed ? delayUs : refusedForUs;
    return {
      allowed,
      over: allowed && !queues && used > capacity,
      state: charged ? logged(log, runUs, cost) : state,
      remaining: capacity - used,
      waitUs: cost > most ? -1 : waitUs,
      resetAfterUs: used === 0 ? 0 : (charged ? runUs : newestUs) + windowUs - nowUs,
    };
  },

  // First what was charged at `atUs`; what a queue logged at a later moment, from the newest on.
  give(state, policy, units, atUs, nowUs) {
    const log = currentLog(state, policy, nowUs);
    if (log.length === 0 || units === 0 || atUs <= nowUs - policy.windowUs) return state;
    let left = units;
    const taken = (admission: Admission) => {
      const given = Math.min(left, admission.units);
      left -= given;
      return { atUs: admission.atUs, units: admission.units - given };
    };
    const others = log.map((admission) => (admission.atUs === atUs ? taken(admission) : admission));
    return others.toReversed().map(taken).reverse().filter(isUsed);
  },

  // Scaled or dropped from the newest on, so that the oldest give way.
  rebase(state, from, to, rule, atUs) {
    let before = 0;
    let carriedBefore = 0;
    const carried = currentLog(state, from, atUs)
      .toReversed()
      .map((admission) => {
        before += admission.units;
        const all = Math.min(MAX_LOG_UNITS, carriedOver(before, from.capacity, to.capacity, rule));
        const units = all - carriedBefore;
        carriedBefore = all;
        return { atUs: admission.atUs, units };
      })
      .reverse()
      .filter(isUsed);
    if (carried.length === 0) return undefined;
    // What waits for longer than the new policy lets anything wait stays counted.
    const latestUs = atUs + to.windowUs + to.maxDelayUs;
    return carried.reduce<LogState>(
      (log, { atUs: thenUs, units }) => logged(log, Math.min(thenUs, latestUs), units),
      [],
    );
  },

  encode(log) {
    const entries = log.map(({ atUs, units }) => {
      const time = bytesOf(atUs % TIME_CYCLE_US, TIME_BYTES);
      const full = Math.ceil(units / MAX_ENTRY_UNITS) - 1;
      return (
        (time + bytesOf(MAX_ENTRY_UNITS, 1)).repeat(full) + time + bytesOf(units - full * MAX_ENTRY_UNITS, 1)
      );
    });
    return bytesOf(log.at(-1)?.atUs ?? 0, NEWEST_BYTES) + bytesOf(sum(log), TOTAL_BYTES) + entries.join('');
  },

  decode(text) {
    if (text.length < HEADER_BYTES || (text.length - HEADER_BYTES) % ENTRY_BYTES !== 0) return undefined;
    const newestUs = numberAt(text, 0, NEWEST_BYTES);
    const log: { atUs: number; units: number }[] = [];
    for (let at = HEADER_BYTES; at < text.length; at += ENTRY_BYTES) {
      const backUs = (newestUs - numberAt(text, at, TIME_BYTES)) % TIME_CYCLE_US;
      const units = numberAt(text, at + TIME_BYTES, 1);
      const last = log.at(-1);
      if (last?.atUs === newestUs - backUs) last.units += units;
      else log.push({ atUs: newestUs - backUs, units });
    }
    return log;
  },

  share: (policy, nodes) =>
    policyOf(
      Math.max(1, Math.floor(policy.capacity / nodes)),
      Math.floor(policy.extra / nodes),
      policy.windowUs,
      policy.maxDelayUs,
    ),
  isBurst: () => false,
};

function compile(stored: PolicyOf<'sliding_window_log'>): Compilation<CompiledSlidingWindowLog> {
  const { limit, windowMs, throttle } = stored;
  if (stored.consistency?.mode === 'leased') {
    return refuse(
      'consistency.mode',
      'a sliding window must know when capacity was used, which a lease does not tell; use fixed_window, gcra or token_bucket',
    );
  }
  const band = extraOf(stored);
  if (!band.ok) return band;
  if (limit + band.extra > MAX_LOG_UNITS) {
    const field = throttle?.mode === 'elastic' ? 'throttle.maxPercent' : 'throttle.percent';
    return refuse(
      field,
      `a log keeps ${MAX_LOG_UNITS} admissions at most, not ${limit + band.extra}; lower it or use sliding_window_counter`,
    );
  }
  const maxDelayMs = throttle?.mode === 'queue' ? throttle.maxDelayMs : 0;
  const waiting = limit * Math.ceil(maxDelayMs / windowMs);
  return limit + waiting <= MAX_LOG_UNITS
    ? { ok: true, policy: policyOf(limit, band.extra, windowMs * 1000, maxDelayMs * 1000) }
    : refuse(
        'throttle.maxDelayMs',
        `${waiting} requests could wait for as long as ${maxDelayMs} ms, and a log keeps ${MAX_LOG_UNITS} admissions at most; shorten it or use gcra`,
      );
}

function policyOf(
  capacity: number,
  extra: number,
  windowUs: number,
  maxDelayUs: number,
): CompiledSlidingWindowLog {
  const horizonMs = (windowUs + maxDelayUs) / 1000;
  return { kind: 'sliding_window_log', capacity, extra, windowUs, maxDelayUs, horizonMs };
}

/** What counts now. */
function currentLog(
  state: LogState | undefined,
  { windowUs, maxDelayUs }: CompiledSlidingWindowLog,
  nowUs: number,
): LogState {
  const newestUs = state?.at(-1)?.atUs;
  if (state === undefined || newestUs === undefined || newestUs > nowUs + windowUs + maxDelayUs) return [];
  const first = state.findIndex(({ atUs }) => atUs > nowUs - windowUs);
  return first === 0 ? state : first < 0 ? [] : state.slice(first);
}

/** When so much of the oldest has left the window that `excess` is gone; 0 if there is none. */
function fitsAt(log: LogState, excess: number, windowUs: number): number {
  if (excess <= 0) return 0;
  let left = excess;
  for (const { atUs, units } of log) {
    left -= units;
    if (left <= 0) return atUs + windowUs;
  }
  throw new RangeError(`a log of ${sum(log)} units has no ${excess} to free`);
}

/** `atUs` must not be before the newest. */
function logged(log: LogState, atUs: number, units: number): LogState {
  const last = log.at(-1);
  return last?.atUs === atUs
    ? [...log.slice(0, -1), { atUs, units: last.units + units }]
    : [...log, { atUs, units }];
}

function isUsed(admission: Admission): boolean {
  return admission.units > 0;
}

function sum(log: LogState): number {
  return log.reduce((total, { units }) => total + units, 0);
}
