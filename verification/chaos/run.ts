// Runs the reliability goals against real servers and processes: Redis and nodes for decisions; Postgres, Redis and the built
// control plane for its own. Prints seed, measurements, goal and verdict of each, and exits with 1 if one does not hold.
// Usage: pnpm chaos [-- --only R3,C5,control-plane --seconds 60 --seed 7 --scale 1 --cluster --in-process]
// --in-process: nodes in this process. Counts and compares, but asserts no times, so that the machine may be busy.
import os from 'node:os';
import { parseArgs } from 'node:util';
import type { Goal, GoalOptions, Measurement } from './goal.ts';
import { GOALS } from './goals.ts';

/** A row longer than this is printed with one number per line. */
const MAX_WIDTH = 150;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    scale: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    'in-process': { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const chosen = choose(values.only?.split(',')).filter(({ cluster = false }) => !values.cluster || cluster);
if (chosen.length === 0) throw new Error('none of these goals has a form for a Redis Cluster');

console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, seed ${seed}`,
);
let failed = 0;
for (const goal of chosen) {
  if (!values.cluster) failed += await run(goal, false);
  if (goal.cluster) failed += await run(goal, true);
}
console.log(failed === 0 ? 'all hold' : `${failed} do not hold`);
process.exit(failed === 0 ? 0 : 1);

/** @param names ids and folders; default: all goals */
function choose(names: readonly string[] = Object.keys(GOALS)): Goal[] {
  const all = Object.values(GOALS).flat();
  return names.flatMap((name) => {
    const found = GOALS[name] ?? all.filter(({ id }) => id === name.toUpperCase());
    if (found.length > 0) return found;
    throw new Error(
      `unknown goal ${name}; available: ${[...Object.keys(GOALS), ...all.map(({ id }) => id)].join(', ')}`,
    );
  });
}

async function run(goal: Goal, cluster: boolean): Promise<number> {
  const scale = Number(values.scale ?? goal.scale ?? 1);
  const seconds = Number(values.seconds ?? goal.seconds ?? 1);
  const form = `scale ${scale}${cluster ? ', Redis Cluster 3+3' : ''}`;
  console.log(`\n${goal.id} ${goal.title} (${form})\n  goal: ${goal.passLine}`);
  const startMs = performance.now();
  let failures = 0;
  const isolation = values['in-process'] ? 'none' : 'process';
  const options: GoalOptions = { seed, seconds, scale, isolation, cluster };
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
  const line = `  ${name.padEnd(28)} ${texts.join(' · ')}`;
  console.log(
    line.length <= MAX_WIDTH ? line : [`  ${name}`, ...texts.map((text) => `    ${text}`)].join('\n'),
  );
  for (const failure of failures) console.log(`    ✗ ${failure}`);
}
