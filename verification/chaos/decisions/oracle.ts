import type { Rule } from '@tollgate/contracts';
import type { Outcome } from './testbed-node.ts';

/** The part of an outcome that a recount needs. */
export type Admission = Pick<Outcome, 'key' | 'atUs' | 'node' | 'n' | 'success' | 'fromStore'>;

/** Answers given without the store have times in whole milliseconds, so they were given at any moment of that one. */
const LOCAL_TIME_US = 1000;

/** Differences between a recount and the decisions of one rule. */
export interface Recount {
  readonly decisions: number;
  readonly admitted: number;
  /** Allowed although nothing was left. */
  readonly over: number;
  /** Denied although something was left. */
  readonly under: number;
}

/** A counter as defined in docs/adr/0012-algorithms.md, without the limiter's models, because it checks the product from outside. */
interface Counter {
  hasRoom(atUs: number): boolean;
  take(atUs: number): void;
}

/**
 * Decides every request again, per counter in the order of the store's clock, and compares. Follows the actual
 * admissions, so that one wrong decision is counted once. For exact rules, at cost 1.
 */
export function recount(rule: Rule, outcomes: readonly Admission[]): Recount {
  const result = { decisions: outcomes.length, admitted: 0, over: 0, under: 0 };
  for (const requests of Map.groupBy(inOrder(outcomes), ({ key }) => key).values()) {
    const counter = counterOf(rule);
    let doubtful: number[] = [];
    // Wrongly denied only if there was room during its whole millisecond.
    const settleUntil = (atUs: number) => {
      const settled = doubtful.filter((refusedUs) => refusedUs + LOCAL_TIME_US <= atUs);
      result.under += settled.filter((refusedUs) => counter.hasRoom(refusedUs + LOCAL_TIME_US)).length;
      doubtful = doubtful.filter((refusedUs) => refusedUs + LOCAL_TIME_US > atUs);
    };
    for (const { atUs, success, fromStore } of requests) {
      if (doubtful.length > 0) settleUntil(atUs);
      const hasRoom = counter.hasRoom(atUs);
      if (success) {
        result.admitted++;
        counter.take(atUs);
        if (!hasRoom) result.over++;
      } else if (hasRoom) {
        if (fromStore) result.under++;
        else doubtful.push(atUs);
      }
    }
    settleUntil(Number.POSITIVE_INFINITY);
  }
  return result;
}

/** By the store's clock; within a batch, which has one time, by the order of the node's requests. */
export function inOrder<T extends Admission>(outcomes: readonly T[]): T[] {
  return outcomes.toSorted((a, b) => a.atUs - b.atUs || a.node.localeCompare(b.node) || a.n - b.n);
}

/** Maximum admitted for one key in any period of `windowUs`, and the start of that period. */
export function mostInWindow(
  admissions: readonly Pick<Admission, 'atUs'>[],
  windowUs: number,
): { most: number; fromUs: number } {
  const times = admissions.map(({ atUs }) => atUs).sort((a, b) => a - b);
  let most = 0;
  let fromUs = 0;
  let first = 0;
  for (const [last, atUs] of times.entries()) {
    while ((times[first] ?? 0) <= atUs - windowUs) first++;
    if (last - first + 1 <= most) continue;
    most = last - first + 1;
    fromUs = times[first] ?? 0;
  }
  return { most, fromUs };
}

/** Error of an estimate: maximum admitted in any true window, and denials that an exact log would have allowed. */
export function estimateError(
  limit: number,
  windowUs: number,
  outcomes: readonly Admission[],
): { worstOver: number; wronglyRefused: number; refused: number } {
  const error = { worstOver: 0, wronglyRefused: 0, refused: 0 };
  for (const requests of Map.groupBy(inOrder(outcomes), ({ key }) => key).values()) {
    const { most } = mostInWindow(
      requests.filter(({ success }) => success),
      windowUs,
    );
    error.worstOver = Math.max(error.worstOver, most - limit);
    const log = exactLog(limit, windowUs);
    for (const { atUs, success } of requests) {
      if (success) log.take(atUs);
      else {
        error.refused++;
        if (log.hasRoom(atUs)) error.wronglyRefused++;
      }
    }
  }
  return error;
}

function counterOf(rule: Rule): Counter {
  switch (rule.algorithm) {
    case 'fixed_window':
      return rule.alignment === 'clock'
        ? perPeriod(rule.limit, (ms) => Math.floor(ms / rule.windowMs))
        : fromFirst(rule.limit, rule.windowMs);
    case 'sliding_window_log':
      return exactLog(rule.limit, rule.windowMs * 1000);
    case 'gcra':
      return draining(rule.limit, rule.windowMs, rule.burst + 1);
    case 'leaky_bucket':
      return draining(rule.limit, rule.windowMs, rule.queue + 1);
    case 'token_bucket':
      return rule.refill === 'continuous'
        ? draining(rule.limit, rule.windowMs, rule.capacity)
        : refilledAtOnce(rule.limit, rule.windowMs, rule.capacity);
    case 'concurrency':
      return heldSlots(rule.limit, rule.leaseMs);
    case 'quota':
      return perPeriod(rule.limit, (ms) => new Date(ms).toISOString().slice(0, 'yyyy-mm'.length));
    default:
      throw new Error(`${rule.algorithm} is an estimate: use estimateError`);
  }
}

const msOf = (atUs: number) => Math.floor(atUs / 1000);

function perPeriod(limit: number, periodOf: (ms: number) => string | number): Counter {
  const taken = new Map<string | number, number>();
  const takenAt = (atUs: number) => taken.get(periodOf(msOf(atUs))) ?? 0;
  return {
    hasRoom: (atUs) => takenAt(atUs) < limit,
    take: (atUs) => void taken.set(periodOf(msOf(atUs)), takenAt(atUs) + 1),
  };
}

function fromFirst(limit: number, windowMs: number): Counter {
  let startMs = Number.NEGATIVE_INFINITY;
  let taken = 0;
  const isOver = (atUs: number) => msOf(atUs) >= startMs + windowMs;
  return {
    hasRoom: (atUs) => isOver(atUs) || taken < limit,
    take: (atUs) => {
      if (isOver(atUs)) {
        startMs = msOf(atUs);
        taken = 0;
      }
      taken++;
    },
  };
}

function exactLog(limit: number, windowUs: number): Counter {
  const times: number[] = [];
  let first = 0;
  return {
    hasRoom: (atUs) => {
      while ((times[first] ?? Number.POSITIVE_INFINITY) <= atUs - windowUs) first++;
      return times.length - first < limit;
    },
    take: (atUs) => void times.push(atUs),
  };
}

/** A bucket that drains by one unit per interval (rounded up to whole µs); each admission adds one. */
function draining(limit: number, windowMs: number, capacity: number): Counter {
  const spacingUs = Math.ceil((windowMs * 1000) / limit);
  let filledUs = 0;
  let sinceUs = 0;
  const filledAt = (atUs: number) => Math.max(0, filledUs - (atUs - sinceUs));
  return {
    hasRoom: (atUs) => filledAt(atUs) + spacingUs <= capacity * spacingUs,
    take: (atUs) => {
      filledUs = filledAt(atUs) + spacingUs;
      sinceUs = atUs;
    },
  };
}

function refilledAtOnce(refill: number, windowMs: number, capacity: number): Counter {
  let tokens = capacity;
  let interval: number | undefined;
  const tokensAt = (atUs: number) => {
    const passed = Math.floor(msOf(atUs) / windowMs) - (interval ?? 0);
    return interval === undefined ? capacity : Math.min(capacity, tokens + passed * refill);
  };
  return {
    hasRoom: (atUs) => tokensAt(atUs) >= 1,
    take: (atUs) => {
      tokens = tokensAt(atUs) - 1;
      interval = Math.floor(msOf(atUs) / windowMs);
    },
  };
}

/** Each admission has a different holder, and none is released. */
function heldSlots(limit: number, leaseMs: number): Counter {
  const untilMs: number[] = [];
  let first = 0;
  return {
    hasRoom: (atUs) => {
      while ((untilMs[first] ?? Number.POSITIVE_INFINITY) <= msOf(atUs)) first++;
      return untilMs.length - first < limit;
    },
    take: (atUs) => void untilMs.push(msOf(atUs) + leaseMs),
  };
}
