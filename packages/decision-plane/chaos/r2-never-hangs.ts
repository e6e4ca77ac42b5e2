import { FAULTS, type Fault } from './faults.ts';
import { failing, type Goal, type GoalOptions, type Measurement } from './goal.ts';
import { limitBy } from './rules.ts';
import { Yard } from './yard.ts';
import type { LoadReport } from './yard-node.ts';

const NODES = 4;
const PER_SECOND = 5000;
const DEADLINE_MS = 25;
const SLACK_MS = 5;
const TOO_SLOW = `p99.9 is above ${DEADLINE_MS + SLACK_MS} ms`;

/** Compiled and warm, as a node that has been up for a while. */
const WARM_UP_MS = 1500;

/** What is too slow is measured again: on a machine that others use, the best of so many is the node's own doing. */
const ATTEMPTS = 3;

/** Into the load, before the fault. */
const HEALTHY_MS = 500;

const LIMITS = [
  limitBy('share', { algorithm: 'gcra', limit: 600, windowMs: 60_000, burst: 100 }),
  limitBy(
    'deny',
    { algorithm: 'sliding_window_log', limit: 100, windowMs: 60_000 },
    { onUnavailable: 'deny' },
  ),
  limitBy(
    'allow',
    { algorithm: 'fixed_window', limit: 100, windowMs: 60_000, alignment: 'clock' },
    { onUnavailable: 'allow' },
  ),
];

/** Whatever the counters' server does, every request is answered, in time, and says so. */
export const neverHangs: Goal = {
  id: 'R2',
  title: 'never hangs',
  passLine: `p99.9 <= ${DEADLINE_MS} + ${SLACK_MS} ms under ten faults, 0 thrown, every answer without the store marked degraded (too slow: measured again, ${ATTEMPTS} times at most)`,
  async run(options, tell) {
    const plain = FAULTS.filter(({ redisArgs }) => redisArgs === undefined);
    const special = FAULTS.filter(({ redisArgs }) => redisArgs !== undefined);
    await underFaults(plain, options, tell);
    for (const fault of special) await underFaults([fault], options, tell);
  },
};

async function underFaults(
  faults: readonly Fault[],
  options: GoalOptions,
  tell: (measurement: Measurement) => void,
): Promise<void> {
  const redisArgs = ['--enable-debug-command', 'yes', ...(faults[0]?.redisArgs ?? [])];
  const { isolation } = options;
  const yard = await Yard.open({ isolation, nodes: NODES, limits: LIMITS, proxy: 'shared', redisArgs });
  try {
    if (faults[0]?.redisArgs !== undefined) await faults[0].end(yard);
    if (isolation === 'process') await load(yard, options, WARM_UP_MS);
    for (const fault of faults) tell(await measureAgain(yard, fault, options));
  } finally {
    await yard.close();
  }
}

async function measureAgain(yard: Yard, fault: Fault, options: GoalOptions): Promise<Measurement> {
  for (let attempt = 1; ; attempt++) {
    await yard.decidesByStore();
    const { name, numbers, failures } = await measure(yard, fault, options);
    // Only time depends on who else uses the machine.
    const isOnlySlow = failures.length > 0 && failures.every((failure) => failure === TOO_SLOW);
    if (isOnlySlow && attempt < ATTEMPTS) continue;
    return { name, numbers: { ...numbers, attempt }, failures };
  }
}

async function measure(yard: Yard, fault: Fault, options: GoalOptions): Promise<Measurement> {
  const reports = load(yard, options, HEALTHY_MS + options.seconds * 1000);
  const begun = new Promise<void>((resolve) => setTimeout(resolve, HEALTHY_MS)).then(() => fault.begin(yard));
  const [done] = await Promise.all([reports, begun]);
  await fault.end(yard);
  return verdict(fault.name, done, options.isolation === 'process');
}

function load(yard: Yard, { seed, scale }: GoalOptions, ms: number): Promise<LoadReport[]> {
  const mix = LIMITS.map(({ name }) => ({ operation: name, users: 200, weight: 1 }));
  const perSecond = (PER_SECOND * scale) / yard.nodes.length;
  const rest = { perSecond, ms, tenant: 'acme', mix, tell: 'none' as const };
  return Promise.all(yard.nodes.map((node, i) => node.load({ ...rest, seed: seed + i })));
}

function verdict(name: string, reports: readonly LoadReport[], isTimed: boolean): Measurement {
  const sum = (field: 'asked' | 'degraded' | 'thrown' | 'unmarked') =>
    reports.reduce((total, report) => total + report[field], 0);
  const worst = (field: 'p50Ms' | 'p99Ms' | 'p999Ms' | 'maxMs') =>
    Math.max(...reports.map((report) => report[field]));
  const p999Ms = worst('p999Ms');
  const numbers = {
    asked: sum('asked'),
    degraded: sum('degraded'),
    thrown: sum('thrown'),
    unmarked: sum('unmarked'),
    p50Ms: worst('p50Ms'),
    p99Ms: worst('p99Ms'),
    p999Ms,
    maxMs: worst('maxMs'),
  };
  const failures = failing({
    // Of nodes that share their process with load, proxy and each other, it says nothing.
    [TOO_SLOW]: !isTimed || p999Ms <= DEADLINE_MS + SLACK_MS,
    'some were thrown': numbers.thrown === 0,
    'some were admitted without the store and not marked': numbers.unmarked === 0,
    'the fault had no effect': numbers.degraded > 0,
  });
  return { name, numbers, failures };
}
