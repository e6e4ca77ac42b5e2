// Runs the control plane's goals against real Postgres and Redis servers and its own built processes: prints seed, numbers
// and verdict of each, and exits with 1 when one does not hold.
// Usage: pnpm chaos:control [-- --only C4,C6 --scale 0.1 --seconds 10 --seed 7]
import os from 'node:os';
import { parseArgs } from 'node:util';
import { GOALS } from '../goals.ts';
import type { Goal, GoalOptions } from './goal.ts';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== '--'),
  options: {
    only: { type: 'string' },
    scale: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const only = values.only?.toUpperCase().split(',');
const chosen = GOALS.filter(({ goal }) => only === undefined || only.includes(goal.name));
if (chosen.length === 0) {
  throw new Error(`no such goal; there are ${GOALS.map(({ goal }) => goal.name).join(', ')}`);
}

console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, seed ${seed}`,
);
let failed = 0;
for (const { goal, ...usual } of chosen) {
  const scale = Number(values.scale ?? usual.scale);
  const seconds = Number(values.seconds ?? usual.seconds);
  if (!(await run(goal, { seed, scale, seconds }))) failed++;
}
console.log(failed === 0 ? 'all hold' : `${failed} do not hold`);
process.exit(failed === 0 ? 0 : 1);

async function run(goal: Goal, options: GoalOptions): Promise<boolean> {
  console.log(`\n${goal.name} ${goal.title} (scale ${options.scale})`);
  const startMs = performance.now();
  let holds = false;
  try {
    const { verdict, numbers, failures = [] } = await goal.run(options);
    holds = verdict;
    for (const [what, value] of Object.entries(numbers)) {
      console.log(`  ${what}: ${typeof value === 'number' ? Number(value.toFixed(2)) : value}`);
    }
    for (const failure of failures) console.log(`  ✗ ${failure}`);
  } catch (error) {
    console.log('  broken off:', error);
  }
  console.log(
    `  ${holds ? 'HOLDS' : 'DOES NOT HOLD'} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`,
  );
  return holds;
}
