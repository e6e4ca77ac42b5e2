import { MAX_LOG_UNITS, type PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  bytesOf,
  type Compilation,
  type CompiledPolicy,
  carriedFromNewest,
  extraOf,
  numberAt,
  reject,
  type Step,
  sharedEqually,
} from './algorithm.js';

export interface CompiledSlidingWindowLog extends CompiledPolicy {
  readonly windowUs: number;
  /** Maximum wait of a request above the limit; 0: it is denied. */
  readonly maxDelayUs: number;
}

/** Units admitted at `atUs`, microseconds since the Unix epoch; at least 1. */
export interface Admission {
  readonly atUs: number;
  readonly units: number;
}

/** Sorted by time, which is unique. */
export type LogState = readonly Admission[];

const NEWEST_BYTES = 7;
const TOTAL_BYTES = 3;
const HEADER_BYTES = NEWEST_BYTES + TOTAL_BYTES;

/** An entry is a time modulo 2^48 µs (almost nine years, so it is exact relative to the newest entry) and units. */
const TIME_BYTES = 6;
const ENTRY_BYTES = TIME_BYTES + 1;
const TIME_CYCLE_US = 2 ** 48;
const MAX_ENTRY_UNITS = 255;

/**
 * Exact: a request is allowed if it is within the limit together with everything admitted in the window that ends now. A
 * queue logs a request above the limit at the first time at which it fits without overtaking an earlier one. If the clock
 * steps back, later admissions still count and new ones are logged at the newest time; beyond a window and the maximum
 * delay, the log counts as empty.
 */
export const slidingWindowLog: Algorithm<
  PolicyOf<'sliding_window_log'>,
  CompiledSlidingWindowLog,
  LogState
> = {
  kind: 'sliding_window_log',
  wireId: 3,
  stateVersion: 'l1',
  endsAtOnce: false,
  isAdditive: true,

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
    const deniedForUs = Math.max(0, (queues ? runUs : passUs) - nowUs - maxDelayUs);
    const allowed = deniedForUs === 0;
    const charged = allowed && cost > 0;
    const used = allowed ? total + cost : total;
    const waitUs = allowed ? delayUs : deniedForUs;
    return {
      allowed,
      over: allowed && !queues && used > capacity,
      state: charged ? logged(log, runUs, cost) : state,
      remaining: capacity - used,
      waitUs: cost > most ? -1 : waitUs,
      resetAfterUs: used === 0 ? 0 : (charged ? runUs : newestUs) + windowUs - nowUs,
    };
  },

  // First units charged at `atUs`; then units that a queue logged later, newest first.
  refund(state, policy, units, atUs, nowUs) {
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

  rebase(state, from, to, rule, atUs) {
    const newestFirst = currentLog(state, from, atUs).toReversed();
    const counts = newestFirst.map(({ units }) => units);
    const units = carriedFromNewest(counts, from.capacity, to.capacity, rule, MAX_LOG_UNITS);
    const carried = newestFirst
      .map((admission, i) => ({ atUs: admission.atUs, units: units[i] ?? 0 }))
      .reverse()
      .filter(isUsed);
    if (carried.length === 0) return undefined;
    // Requests that wait longer than the new policy allows still count.
    const latestUs = atUs + to.windowUs + to.maxDelayUs;
    return carried.reduce<LogState>(
      (log, admission) => logged(log, Math.min(admission.atUs, latestUs), admission.units),
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

  share: sharedEqually,
  isBurst: () => false,
};

function compile(stored: PolicyOf<'sliding_window_log'>): Compilation<CompiledSlidingWindowLog> {
  const { limit, windowMs, throttle } = stored;
  if (stored.consistency?.mode === 'leased') {
    return reject(
      'consistency.mode',
      'a sliding window must know when capacity was used, which is unknown for leases; use fixed_window, gcra or token_bucket',
    );
  }
  const band = extraOf(stored);
  if (!band.ok) return band;
  if (limit + band.extra > MAX_LOG_UNITS) {
    const field = throttle?.mode === 'elastic' ? 'throttle.maxPercent' : 'throttle.percent';
    return reject(
      field,
      `a log holds at most ${MAX_LOG_UNITS} admissions, not ${limit + band.extra}; lower the limit or use sliding_window_counter`,
    );
  }
  const maxDelayMs = throttle?.mode === 'queue' ? throttle.maxDelayMs : 0;
  const waiting = limit * Math.ceil(maxDelayMs / windowMs);
  return limit + waiting <= MAX_LOG_UNITS
    ? { ok: true, policy: policyOf(limit, band.extra, windowMs * 1000, maxDelayMs * 1000) }
    : reject(
        'throttle.maxDelayMs',
        `${waiting} requests could wait up to ${maxDelayMs} ms, but a log holds at most ${MAX_LOG_UNITS} admissions; shorten the delay or use gcra`,
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

/** When enough of the oldest units have expired to free `excess`; 0 if it is not positive. */
function fitsAt(log: LogState, excess: number, windowUs: number): number {
  if (excess <= 0) return 0;
  let left = excess;
  for (const { atUs, units } of log) {
    left -= units;
    if (left <= 0) return atUs + windowUs;
  }
  throw new RangeError(`cannot free ${excess} of ${sum(log)} logged units`);
}

/** `atUs` must not be earlier than the newest entry. */
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
