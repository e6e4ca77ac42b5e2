import type { PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  bytesOf,
  type CompiledPolicy,
  carriedFromNewest,
  extraOf,
  numberAt,
  reject,
  type Step,
  sharedEqually,
} from './algorithm.js';

export interface CompiledSlidingWindowCounter extends CompiledPolicy {
  /** Length of a sub-window. */
  readonly bucketMs: number;
  /** Number of sub-windows, including the current one. */
  readonly buckets: number;
}

/** Counts of sub-windows, newest first, without trailing zeros; `startMs` is the start of the newest. */
export interface CounterState {
  startMs: number;
  counts: number[];
}

/** Maximum total of all sub-windows, also after a policy change. */
const MAX_COUNT = 2 ** 52;

const START_BYTES = 6;
const TOTAL_BYTES = 7;
const HEADER_BYTES = START_BYTES + TOTAL_BYTES;

/**
 * Counters of clock-aligned sub-windows: `buckets` of them, including the current one, never hold more than the limit. They
 * cover less than the window, so nothing is denied that an exact log would allow; requests near the end of the oldest
 * sub-window are forgotten up to one sub-window early (measured in sliding-window-error.spec.ts). If the clock steps back,
 * the newest stored sub-window stays current; more than a window ahead, the counts are dropped.
 */
export const slidingWindowCounter: Algorithm<
  PolicyOf<'sliding_window_counter'>,
  CompiledSlidingWindowCounter,
  CounterState
> = {
  kind: 'sliding_window_counter',
  wireId: 4,
  stateVersion: 'c1',
  endsAtOnce: false,
  isAdditive: true,

  compile(stored) {
    const { windowMs, buckets, limit } = stored;
    if (windowMs % buckets !== 0) {
      return reject(
        'buckets',
        `the window is too short for its resolution: ${windowMs} ms in ${buckets} sub-windows is not a whole number of milliseconds each; choose a divisor of ${windowMs}`,
      );
    }
    if (stored.throttle?.mode === 'queue') {
      return reject(
        'throttle.mode',
        'a sub-window expires all at once, so requests cannot be queued; use sliding_window_log, gcra, token_bucket or leaky_bucket',
      );
    }
    if (stored.consistency?.mode === 'leased') {
      return reject(
        'consistency.mode',
        'a sliding window must know when capacity was used, which is unknown for leases; use fixed_window, gcra or token_bucket',
      );
    }
    const band = extraOf(stored);
    if (!band.ok) return band;
    return limit + band.extra <= MAX_COUNT
      ? { ok: true, policy: policyOf(limit, band.extra, windowMs / buckets, buckets) }
      : reject(
          'limit',
          `${limit} plus the throttle exceeds 2^52 units, so sub-windows cannot be added exactly; lower the limit`,
        );
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.bucketMs, policy.buckets],

  step(state, policy, cost, nowUs): Step<CounterState> {
    assertCost(cost);
    const { capacity, extra, bucketMs, buckets } = policy;
    const { startMs, counts } = currentBuckets(state, policy, Math.floor(nowUs / 1000));
    const total = sum(counts);
    const allowed = total + cost <= capacity + extra;
    const used = allowed ? total + cost : total;
    const [newest = 0, ...older] = counts;
    const youngest = allowed && cost > 0 ? 0 : counts.findIndex((count) => count > 0);
    return {
      allowed,
      over: allowed && used > capacity,
      state: allowed && cost > 0 ? { startMs, counts: [newest + cost, ...older] } : state,
      remaining: capacity - used,
      waitUs: allowed ? 0 : waitUs({ startMs, counts }, policy, total + cost - capacity - extra, cost, nowUs),
      resetAfterUs: used === 0 ? 0 : (startMs + (buckets - youngest) * bucketMs) * 1000 - nowUs,
    };
  },

  refund(state, policy, units, atUs, nowUs) {
    if (state === undefined) return state;
    const { startMs, counts } = currentBuckets(state, policy, Math.floor(nowUs / 1000));
    const age = Math.max(0, Math.ceil((startMs - Math.floor(atUs / 1000)) / policy.bucketMs));
    const bucket = nowUs < startMs * 1000 ? 0 : age;
    const count = counts[bucket] ?? 0;
    if (count === 0) return state;
    return { startMs, counts: trimmed(counts.with(bucket, Math.max(0, count - units))) };
  },

  // If sub-windows have another length, each count moves to the sub-window of its last moment.
  rebase(state, from, to, rule, atUs) {
    const atMs = Math.floor(atUs / 1000);
    const { startMs, counts } = currentBuckets(state, from, atMs);
    const carried = carriedFromNewest(counts, from.capacity, to.capacity, rule, MAX_COUNT);
    const moved =
      from.bucketMs === to.bucketMs
        ? { startMs, counts: trimmed(carried.slice(0, to.buckets)) }
        : regrouped(startMs, carried, from, to, atMs);
    return moved.counts.length === 0 ? undefined : moved;
  },

  encode({ startMs, counts }) {
    const total = sum(counts);
    const width = widthOf(total);
    return (
      bytesOf(startMs, START_BYTES) +
      bytesOf(total, TOTAL_BYTES) +
      counts.map((count) => bytesOf(count, width)).join('')
    );
  },

  decode(text) {
    if (text.length < HEADER_BYTES) return undefined;
    const width = widthOf(numberAt(text, START_BYTES, TOTAL_BYTES));
    if ((text.length - HEADER_BYTES) % width !== 0) return undefined;
    const counts: number[] = [];
    for (let at = HEADER_BYTES; at < text.length; at += width) counts.push(numberAt(text, at, width));
    return { startMs: numberAt(text, 0, START_BYTES), counts };
  },

  share: sharedEqually,
  isBurst: () => false,
};

function policyOf(
  capacity: number,
  extra: number,
  bucketMs: number,
  buckets: number,
): CompiledSlidingWindowCounter {
  const horizonMs = bucketMs * buckets;
  return { kind: 'sliding_window_counter', capacity, extra, bucketMs, buckets, horizonMs };
}

function currentBuckets(
  state: CounterState | undefined,
  { bucketMs, buckets }: CompiledSlidingWindowCounter,
  nowMs: number,
): CounterState {
  const startMs = nowMs - (nowMs % bucketMs);
  if (state === undefined) return { startMs, counts: [] };
  const aheadMs = state.startMs - startMs;
  if (aheadMs > bucketMs * buckets) return { startMs, counts: [] };
  const age = Math.max(0, Math.floor(-aheadMs / bucketMs));
  if (age >= buckets) return { startMs, counts: [] };
  const counts = [...Array<number>(age).fill(0), ...state.counts].slice(0, buckets);
  return { startMs: Math.max(startMs, state.startMs), counts: trimmed(counts) };
}

/** Time until enough of the oldest sub-windows have expired to free `excess`; -1 if the cost can never be allowed. */
function waitUs(
  { startMs, counts }: CounterState,
  { capacity, extra, bucketMs, buckets }: CompiledSlidingWindowCounter,
  excess: number,
  cost: number,
  nowUs: number,
): number {
  if (cost > capacity + extra) return -1;
  let age = counts.length;
  for (let gone = 0; gone < excess; ) gone += counts[--age] ?? 0;
  return (startMs + (buckets - age) * bucketMs) * 1000 - nowUs;
}

function regrouped(
  startMs: number,
  counts: readonly number[],
  from: CompiledSlidingWindowCounter,
  to: CompiledSlidingWindowCounter,
  atMs: number,
): CounterState {
  const newestMs = atMs - (atMs % to.bucketMs);
  const moved = Array<number>(to.buckets).fill(0);
  for (const [age, count] of counts.entries()) {
    const lastMs = startMs + (1 - age) * from.bucketMs - 1;
    const bucket = Math.max(0, Math.ceil((newestMs - lastMs) / to.bucketMs));
    if (bucket < to.buckets) moved[bucket] = (moved[bucket] ?? 0) + count;
  }
  return { startMs: newestMs, counts: trimmed(moved) };
}

/** Removes trailing zeros. */
function trimmed(counts: number[]): number[] {
  return counts.slice(0, counts.findLastIndex((count) => count > 0) + 1);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Bytes per count: the width of the total. */
function widthOf(total: number): number {
  let width = 1;
  for (let most = 256; total >= most; most *= 256) width++;
  return width;
}
