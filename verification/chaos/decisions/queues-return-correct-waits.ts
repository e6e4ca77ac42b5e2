import type { LimitPolicy } from '@tollgate/contracts';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { inOrder, mostInWindow } from './oracle.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { Outcome } from './testbed-node.ts';

/** A queue by its definition, implemented independently of the models. */
interface Queue {
  /** Requests that may run at once, besides one at a time. */
  readonly atOnce: number;
  /** When a request that arrives now would run; undefined: it is denied. */
  due(atUs: number): number | undefined;
  /** A request arrives now and is admitted. */
  enter(atUs: number): void;
}

/** @throws Error for a limit without a queue */
function queueOf(limit: LimitPolicy): Queue {
  const maxDelayUs = limit.throttle?.mode === 'queue' ? limit.throttle.maxDelayMs * 1000 : 0;
  switch (limit.algorithm) {
    case 'leaky_bucket':
      return spaced(spacingOf(limit), 0, limit.queue * spacingOf(limit));
    case 'gcra':
      return spaced(spacingOf(limit), limit.burst, maxDelayUs);
    case 'token_bucket':
      return spaced(spacingOf(limit), limit.capacity - 1, maxDelayUs);
    case 'sliding_window_log':
      return inWindows(limit.limit, limit.windowMs * 1000, maxDelayUs);
    default:
      throw new Error(`${limit.algorithm} has no queue`);
  }
}

function spacingOf({ limit, windowMs }: { limit: number; windowMs: number }): number {
  return Math.ceil((windowMs * 1000) / limit);
}

/** Runs are scheduled one per interval; a request up to `atOnce` intervals ahead of the schedule does not wait. */
function spaced(spacingUs: number, atOnce: number, maxDelayUs: number): Queue {
  let nextTurnUs = 0;
  const turn = (atUs: number) => Math.max(nextTurnUs, atUs);
  return {
    atOnce,
    due: (atUs) => {
      const dueUs = Math.max(atUs, turn(atUs) - atOnce * spacingUs);
      return dueUs - atUs <= maxDelayUs ? dueUs : undefined;
    },
    enter: (atUs) => {
      nextTurnUs = turn(atUs) + spacingUs;
    },
  };
}

/** Each runs as soon as fewer than `limit` have run in the window before it, but not before an earlier one. */
function inWindows(limit: number, windowUs: number, maxDelayUs: number): Queue {
  const runs: number[] = [];
  const dueAt = (atUs: number) => {
    const fits = (runs.at(-limit) ?? Number.NEGATIVE_INFINITY) + windowUs;
    return Math.max(atUs, runs.at(-1) ?? 0, fits);
  };
  return {
    atOnce: 0,
    due: (atUs) => (dueAt(atUs) - atUs <= maxDelayUs ? dueAt(atUs) : undefined),
    enter: (atUs) => void runs.push(dueAt(atUs)),
  };
}

const NODES = 4;
const OFFERED = 2;

/** One second's requests may wait. */
const PER_SECOND = 1000;
const WAITERS = 1000;
const WINDOW_MS = 1000;
const MAX_DELAY_MS = 1000;
/** Delays are returned in whole milliseconds. */
const TOLERANCE_MS = 1;
/**
 * Long enough that no reply is late: a request answered without the store keeps its position in the store's queue,
 * which the schedule would not know.
 */
const DEADLINE_MS = 10_000;

const rate = { limit: PER_SECOND, windowMs: WINDOW_MS };
/** In the outage, each node rounds its share of the queue. */
const ROUNDING = 2 * NODES;

const queue = { throttle: { mode: 'queue', maxDelayMs: MAX_DELAY_MS } } as const;

const LIMITS: readonly LimitPolicy[] = [
  limitBy('leaky', { algorithm: 'leaky_bucket', ...rate, queue: WAITERS - 1 }),
  limitBy('gcra-queue', { algorithm: 'gcra', ...rate, burst: 0 }, queue),
  limitBy('tokens-queue', { algorithm: 'token_bucket', ...rate, capacity: 100, refill: 'continuous' }, queue),
  limitBy('log-queue', { algorithm: 'sliding_window_log', ...rate }, queue),
];

/** Returned waits are correct, and together they keep the limit. */
export const queuesReturnCorrectWaits: Goal = {
  id: 'R15',
  title: 'queues return correct waits',
  passLine: `delay within ${TOLERANCE_MS} ms of the schedule, none above ${MAX_DELAY_MS} ms, denied only when full, runs <= the limit; also when the store fails: <= limit + nodes + stale readings`,
  seconds: 3,
  async run(options, report) {
    for (const limit of LIMITS) report(await queued(limit, options));
  },
};

/** Twice the limit, first with the store, then without it. */
async function queued(limit: LimitPolicy, options: GoalOptions): Promise<Measurement> {
  const testbed = await Testbed.open({
    isolation: options.isolation,
    nodes: NODES,
    limits: [limit],
    setup: { deadlineMs: DEADLINE_MS },
  });
  try {
    await testbed.nodesKnown(NODES);
    const ms = options.seconds * 1000;
    const mix = [{ operation: limit.name, users: 1, weight: 1 }];
    const perSecond = (OFFERED * PER_SECOND) / NODES;
    const load = { perSecond, ms: 2 * ms, tenant: 'acme', mix, outcomes: 'all' as const };
    const reports = testbed.nodes.map((node, i) => node.load({ ...load, seed: options.seed + i }));
    await new Promise((resolve) => setTimeout(resolve, ms));
    testbed.counters.kill('SIGKILL');
    const outcomes = (await Promise.all(reports)).flatMap((report) => report.outcomes);
    return verdict(limit, outcomes);
  } finally {
    await testbed.close();
  }
}

function verdict(limit: LimitPolicy, outcomes: readonly Outcome[]): Measurement {
  const decided = inOrder(outcomes.filter(({ fromStore }) => fromStore));
  const lastUs = lastHeardUs(decided);
  // Later ones may have been queued behind requests whose replies were lost with the store.
  const known = decided.filter(({ atUs }) => atUs <= Math.min(...lastUs));
  const kept = scheduled(queueOf(limit), known);
  const admitted = outcomes.filter(({ success }) => success);
  const runs = admitted.map(({ atUs, delayMs, fromStore }) => ({ atUs: atUs + delayMs * 1000, fromStore }));
  // With delays in whole milliseconds, two runs may be a millisecond closer than their scheduled times.
  const windowUs = (WINDOW_MS - 1) * 1000;
  const ofStore = runs.filter(({ fromStore }) => fromStore);
  const mostRuns = mostInWindow(ofStore, windowUs).most;
  const mostWithOutage = mostInWindow(runs, windowUs).most;
  const mostDelayMs = Math.max(...admitted.map(({ delayMs }) => delayMs));
  const atOnce = queueOf(limit).atOnce;
  // Admissions through other nodes after each node's last reply.
  const unheard = lastUs.flatMap((us) => decided.filter(({ success, atUs }) => success && atUs > us)).length;
  const numbers = {
    ...kept,
    mostDelayMs,
    'runs per window': mostRuns,
    'with the outage': mostWithOutage,
    'stale readings': unheard,
    limit: PER_SECOND,
  };
  const failures = failing({
    'a delay differs from the schedule': kept.worstMs <= TOLERANCE_MS,
    'denied or admitted by another rule than a full queue': kept.wrong === 0,
    'a wait is too long': mostDelayMs <= MAX_DELAY_MS + 1,
    'more runs than the limit': mostRuns <= PER_SECOND + atOnce + 1,
    'more runs than the limit in the outage': mostWithOutage <= PER_SECOND + atOnce + ROUNDING + unheard,
  });
  return { name: limit.name, numbers, failures };
}

/** Time of each node's last reply of the store, by the store's clock. */
function lastHeardUs(decided: readonly Outcome[]): number[] {
  const byNode = Map.groupBy(decided, ({ node }) => node);
  return [...byNode.values()].map((heard) => Math.max(...heard.map(({ atUs }) => atUs)));
}

function scheduled(
  line: Queue,
  outcomes: readonly Outcome[],
): { decisions: number; worstMs: number; wrong: number } {
  let worstMs = 0;
  let wrong = 0;
  for (const { atUs, success, delayMs } of outcomes) {
    const dueUs = line.due(atUs);
    if (success !== (dueUs !== undefined)) wrong++;
    if (!success) continue;
    if (dueUs !== undefined) worstMs = Math.max(worstMs, Math.abs(delayMs - (dueUs - atUs) / 1000));
    line.enter(atUs);
  }
  return { decisions: outcomes.length, worstMs, wrong };
}
