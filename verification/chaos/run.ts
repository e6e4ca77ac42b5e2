// Runs the reliability goals against real Redis servers and node processes. Prints seed, measurements, goal and
// verdict of each, and exits with 1 if one does not hold.
// Usage: pnpm chaos [-- --only R3,R5 --seconds 60 --seed 7 --scale 1 --cluster --in-process]
// --in-process: nodes in this process. Counts and compares, but asserts no times, so that the machine may be busy.
import os from 'node:os';
import { parseArgs } from 'node:util';
import { allOrNothing } from './decisions/all-or-nothing.ts';
import { boundedDuringOutage } from './decisions/bounded-outage.ts';
import { clocksLie } from './decisions/clocks-lie.ts';
import { keepsItsLedger } from './decisions/cluster-ledger.ts';
import { endlessIds } from './decisions/endless-identifiers.ts';
import { exactWhenHealthy } from './decisions/exact-when-healthy.ts';
import { exactWhenStarved } from './decisions/exact-when-starved.ts';
import { neverHangs } from './decisions/never-hangs.ts';
import { permitsHeal } from './decisions/permits-heal.ts';
import { queuesReturnCorrectWaits } from './decisions/queues-return-correct-waits.ts';
import { recoversOnce } from './decisions/recovers.ts';
import { retryChargesOnce } from './decisions/retry-charges-once.ts';
import type { Goal, GoalOptions, Measurement } from './goal.ts';

/** All goals in order, with the default duration of a phase, and whether they have a cluster form. */
const GOALS: readonly { goal: Goal; seconds: number; cluster: boolean }[] = [
  { goal: exactWhenHealthy, seconds: 5, cluster: true },
  { goal: exactWhenStarved, seconds: 1, cluster: false },
  { goal: neverHangs, seconds: 3, cluster: false },
  { goal: boundedDuringOutage, seconds: 6, cluster: false },
  { goal: keepsItsLedger, seconds: 8, cluster: false },
  { goal: recoversOnce, seconds: 4, cluster: false },
  { goal: retryChargesOnce, seconds: 1, cluster: false },
  { goal: allOrNothing, seconds: 10, cluster: true },
  { goal: clocksLie, seconds: 1, cluster: false },
  { goal: endlessIds, seconds: 20, cluster: false },
  { goal: permitsHeal, seconds: 2, cluster: true },
  { goal: queuesReturnCorrectWaits, seconds: 3, cluster: false },
];

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    scale: { type: 'string', default: '1' },
    cluster: { type: 'boolean', default: false },
    'in-process': { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const only = values.only?.toUpperCase().split(',');
const chosen = GOALS.filter(({ goal, cluster }) =>
  only === undefined ? !values.cluster || cluster : only.includes(goal.id) && (!values.cluster || cluster),
);
if (chosen.length === 0)
  throw new Error(`unknown goal; available: ${GOALS.map(({ goal }) => goal.id).join(', ')}`);

console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, seed ${seed}, ` +
    `scale ${values.scale}`,
);
let failed = 0;
for (const { goal, seconds, cluster } of chosen) {
  if (!values.cluster) failed += await run(goal, Number(values.seconds ?? seconds), false);
  if (cluster) failed += await run(goal, Number(values.seconds ?? seconds), true);
}
console.log(failed === 0 ? 'all hold' : `${failed} do not hold`);
process.exit(failed === 0 ? 0 : 1);

async function run(goal: Goal, seconds: number, cluster: boolean): Promise<number> {
  console.log(`\n${goal.id} ${goal.title}${cluster ? ', Redis Cluster 3+3' : ''}\n  goal: ${goal.passLine}`);
  const startMs = performance.now();
  let failures = 0;
  const isolation = values['in-process'] ? 'none' : 'process';
  const options: GoalOptions = { seed, seconds, scale: Number(values.scale), isolation, cluster };
  try {
    await goal.run(options, (measurement) => {
      failures += measurement.failures.length;
      print(measurement);
    });
  } catch (error) {
    failures++;
    console.log('  broken off:', error);
  }
  const tookS = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`  ${failures === 0 ? 'HOLDS' : 'DOES NOT HOLD'} (${tookS} s)`);
  return failures === 0 ? 0 : 1;
}

function print({ name, numbers, failures }: Measurement): void {
  const texts = Object.entries(numbers).map(
    ([what, value]) => `${what} ${typeof value === 'number' ? Number(value.toFixed(2)) : value}`,
  );
  console.log(
    `  ${name.padEnd(28)} ${texts.join(' · ')}${failures.map((text) => `\n    ✗ ${text}`).join('')}`,
  );
}
