import type { LimitPolicy } from '@tollgate/contracts';
import { failing, type Goal, type GoalOptions, type Measurement } from './goal.ts';
import { inOrder, mostInWindow } from './oracle.ts';
import { limitBy } from './rules.ts';
import { type Queue, queueOf } from './schedule.ts';
import { Yard } from './yard.ts';
import type { Outcome } from './yard-node.ts';

const NODES = 4;
const OFFERED = 2;

/** A second's worth may wait. */
const PER_SECOND = 1000;
const WAITERS = 1000;
const WINDOW_MS = 1000;
const MAX_DELAY_MS = 1000;
/** Delays are told in whole milliseconds. */
const TOLERANCE_MS = 1;
/**
 * So long that no answer of the store comes too late: who is answered without it keeps his place in the store's queue, and
 * the schedule would not know of it.
 */
const DEADLINE_MS = 10_000;

const rate = { limit: PER_SECOND, windowMs: WINDOW_MS };
/** In the outage each node rounds its share of the queue. */
const ROUNDING = 2 * NODES;

const queue = { throttle: { mode: 'queue', maxDelayMs: MAX_DELAY_MS } } as const;

const LIMITS: readonly LimitPolicy[] = [
  limitBy('leaky', { algorithm: 'leaky_bucket', ...rate, queue: WAITERS - 1 }),
  limitBy('gcra-queue', { algorithm: 'gcra', ...rate, burst: 0 }, queue),
  limitBy('tokens-queue', { algorithm: 'token_bucket', ...rate, capacity: 100, refill: 'continuous' }, queue),
  limitBy('log-queue', { algorithm: 'sliding_window_log', ...rate }, queue),
];

/** Whoever is told to wait is told the right time, and all together keep the limit. */
export const queuesKeepTheirWord: Goal = {
  id: 'R15',
  title: 'queues keep their word',
  passLine: `delay within ${TOLERANCE_MS} ms of the schedule, none past ${MAX_DELAY_MS} ms, refused only when full, runs <= the limit; also when the store dies: <= limit + nodes + stale readings`,
  async run(options, tell) {
    for (const limit of LIMITS) tell(await queued(limit, options));
  },
};

/** Twice the limit, first with the store, then without it. */
async function queued(limit: LimitPolicy, options: GoalOptions): Promise<Measurement> {
  const yard = await Yard.open({
    isolation: options.isolation,
    nodes: NODES,
    limits: [limit],
    setup: { deadlineMs: DEADLINE_MS },
  });
  try {
    await yard.nodesKnown(NODES);
    const ms = options.seconds * 1000;
    const mix = [{ operation: limit.name, users: 1, weight: 1 }];
    const perSecond = (OFFERED * PER_SECOND) / NODES;
    const load = { perSecond, ms: 2 * ms, tenant: 'acme', mix, tell: 'all' as const };
    const reports = yard.nodes.map((node, i) => node.load({ ...load, seed: options.seed + i }));
    await new Promise((resolve) => setTimeout(resolve, ms));
    yard.counters.kill('SIGKILL');
    const outcomes = (await Promise.all(reports)).flatMap((report) => report.outcomes);
    return verdict(limit, outcomes);
  } finally {
    await yard.close();
  }
}

function verdict(limit: LimitPolicy, outcomes: readonly Outcome[]): Measurement {
  const decided = inOrder(outcomes.filter(({ fromStore }) => fromStore));
  const lastUs = lastHeardUs(decided);
  // Later ones may have stood behind others whose answers died with the store.
  const known = decided.filter(({ atUs }) => atUs <= Math.min(...lastUs));
  const kept = scheduled(queueOf(limit), known);
  const admitted = outcomes.filter(({ success }) => success);
  const runs = admitted.map(({ atUs, delayMs, fromStore }) => ({ atUs: atUs + delayMs * 1000, fromStore }));
  // Delays are told in whole milliseconds: two runs may be a millisecond nearer to each other than their turns.
  const windowUs = (WINDOW_MS - 1) * 1000;
  const ofStore = runs.filter(({ fromStore }) => fromStore);
  const mostRuns = mostInWindow(ofStore, windowUs).most;
  const mostWithOutage = mostInWindow(runs, windowUs).most;
  const mostDelayMs = Math.max(...admitted.map(({ delayMs }) => delayMs));
  const atOnce = queueOf(limit).atOnce;
  // What the store let in through others after each node last heard of the queue.
  const unheard = lastUs.flatMap((us) => decided.filter(({ success, atUs }) => success && atUs > us)).length;
  const numbers = {
    ...kept,
    mostDelayMs,
    'runs in a window': mostRuns,
    'with the outage': mostWithOutage,
    'stale readings': unheard,
    limit: PER_SECOND,
  };
  const failures = failing({
    'a delay is not that of the schedule': kept.worstMs <= TOLERANCE_MS,
    'refused, or let in, by another rule than a full queue': kept.wrong === 0,
    'somebody waits too long': mostDelayMs <= MAX_DELAY_MS + 1,
    'more runs than the limit': mostRuns <= PER_SECOND + atOnce + 1,
    'more runs than the limit in the outage': mostWithOutage <= PER_SECOND + atOnce + ROUNDING + unheard,
  });
  return { name: limit.name, numbers, failures };
}

/** When each node heard of the store for the last time, by the store's clock. */
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
