import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { bootstrap, ensureNode } from './bootstrap/bootstrap.mjs';
import { runTests } from './checks/run-tests.mjs';
import { explainFailure, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';

// pnpm test:random [-- <arguments of vitest>]: the tests with a fresh seed, by default all but end-to-end tests. First repeats the seeds
// of scripts/checks/failing-seeds.json, to which it adds each failure.

const FAILING_SEEDS = new URL('checks/failing-seeds.json', import.meta.url);
const PROJECTS = ['unit', 'int', 'control-plane', 'dated'].map((name) => `--project=${name}`);

const steps = new Steps('Tollgate tests with random seeds');
const stopRequest = new StopRequest();
const args = process.argv.slice(2).filter((arg) => arg !== '--');
const { passed, failed } = await main();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function main() {
  try {
    await ensureNode(steps);
    const missing = await bootstrap(steps, { programs: true });
    const rows = JSON.parse(readFileSync(FAILING_SEEDS, 'utf8'));
    const seed = randomInt(2 ** 31);
    const runs = [
      ...rows.map((row) => ({ seed: row.seed, args: [row.file] })),
      { seed, args: args.length === 0 ? PROJECTS : args },
    ];
    const total = { passed: 0, failed: 0 };
    for (const run of runs) {
      stopRequest.check();
      console.log(`\nTEST_SEED=${run.seed} npx vitest run ${run.args.join(' ')}`);
      const result = await runTests(run.args, stopRequest.requested, missing, {
        TEST_SEED: String(run.seed),
      });
      total.passed += result.passed;
      total.failed += result.failed.length;
      if (run.seed === seed) storeSeeds(rows, seed, result.failed);
    }
    return total;
  } catch (error) {
    if (!stopRequest.isRequested) explainFailure(error);
    return { passed: 0, failed: 1 };
  }
}

function storeSeeds(rows, seed, failed) {
  const added = failed
    .filter(({ file }) => file !== '')
    .map(({ file, name }) => ({ seed, file, test: name }));
  if (added.length === 0) return;
  writeFileSync(FAILING_SEEDS, `${JSON.stringify([...rows, ...added], undefined, 2)}\n`);
  for (const { file, test } of added)
    console.log(
      `Failed: TEST_SEED=${seed} npx vitest run ${file} -t '${test}' (stored in failing-seeds.json)`,
    );
}
