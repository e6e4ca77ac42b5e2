import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';
import { FAULTS, type Fault } from './faults.ts';
import { limitBy } from './rules.ts';
import { Testbed } from './testbed.ts';
import type { LoadReport } from './testbed-node.ts';

const NODES = 4;
const PER_SECOND = 5000;
const DEADLINE_MS = 25;
const SLACK_MS = 5;
const TOO_SLOW = `p99.9 is above ${DEADLINE_MS + SLACK_MS} ms`;

/** Long enough to be compiled and warm. */
const WARM_UP_MS = 1500;

/** Slow runs are repeated: on a shared machine, the best attempt reflects the node itself. */
const ATTEMPTS = 3;

/** Time under load before the fault. */
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

/** Under any fault of the counter server, every request is answered in time and marked. */
export const neverHangs: Goal = {
  id: 'R2',
  title: 'never hangs',
  passLine: `p99.9 <= ${DEADLINE_MS} + ${SLACK_MS} ms under ten faults, 0 errors, every answer without the store marked degraded (slow runs are repeated, at most ${ATTEMPTS} times)`,
  seconds: 3,
  async run(options, report) {
    const plain = FAULTS.filter(({ redisArgs }) => redisArgs === undefined);
    const special = FAULTS.filter(({ redisArgs }) => redisArgs !== undefined);
    await underFaults(plain, options, report);
    for (const fault of special) await underFaults([fault], options, report);
  },
};

async function underFaults(
  faults: readonly Fault[],
  options: GoalOptions,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const redisArgs = ['--enable-debug-command', 'yes', ...(faults[0]?.redisArgs ?? [])];
  const { isolation } = options;
  const testbed = await Testbed.open({ isolation, nodes: NODES, limits: LIMITS, proxy: 'shared', redisArgs });
  try {
    if (faults[0]?.redisArgs !== undefined) await faults[0].end(testbed);
    if (isolation === 'process') await load(testbed, options, WARM_UP_MS);
    for (const fault of faults) report(await measureAgain(testbed, fault, options));
  } finally {
    await testbed.close();
  }
}

async function measureAgain(testbed: Testbed, fault: Fault, options: GoalOptions): Promise<Measurement> {
  for (let attempt = 1; ; attempt++) {
    await testbed.decidesByStore();
    const { name, numbers, failures } = await measure(testbed, fault, options);
    // Only latency depends on other load on the machine.
    const isOnlySlow = failures.length > 0 && failures.every((failure) => failure === TOO_SLOW);
    if (isOnlySlow && attempt < ATTEMPTS) continue;
    return { name, numbers: { ...numbers, attempt }, failures };
  }
}

async function measure(testbed: Testbed, fault: Fault, options: GoalOptions): Promise<Measurement> {
  const reports = load(testbed, options, HEALTHY_MS + options.seconds * 1000);
  const begun = new Promise<void>((resolve) => setTimeout(resolve, HEALTHY_MS)).then(() =>
    fault.begin(testbed),
  );
  const [done] = await Promise.all([reports, begun]);
  await fault.end(testbed);
  return verdict(fault.name, done, options.isolation === 'process');
}

function load(testbed: Testbed, { seed, scale }: GoalOptions, ms: number): Promise<LoadReport[]> {
  const mix = LIMITS.map(({ name }) => ({ operation: name, users: 200, weight: 1 }));
  const perSecond = (PER_SECOND * scale) / testbed.nodes.length;
  const rest = { perSecond, ms, tenant: 'acme', mix, outcomes: 'none' as const };
  return Promise.all(testbed.nodes.map((node, i) => node.load({ ...rest, seed: seed + i })));
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
    // Meaningless for nodes that share a process with the load, the proxy and each other.
    [TOO_SLOW]: !isTimed || p999Ms <= DEADLINE_MS + SLACK_MS,
    'some requests threw an error': numbers.thrown === 0,
    'some were admitted without the store and not marked': numbers.unmarked === 0,
    'the fault had no effect': numbers.degraded > 0,
  });
  return { name, numbers, failures };
}
