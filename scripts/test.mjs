import { bootstrap, ensureNode } from './bootstrap/bootstrap.mjs';
import { FLAKY_REPORT } from './checks/flaky.mjs';
import { describeNotRun } from './checks/not-run.mjs';
import { runChecks } from './checks/run-checks.mjs';
import { runAllTests, runTests } from './checks/run-tests.mjs';
import { explainFailure, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';

// npm test: all checks, then all tests; the last line counts each failed check as one failed test.
// npm test -- --complete: the same, and a test that cannot run because its program is missing counts as failed.
// npm test -- <arguments of vitest>: only these tests.
// npm test -- --checks (pnpm check): only the checks.

const steps = new Steps('Tollgate tests');
const stopRequest = new StopRequest();
const args = process.argv.slice(2);
const checksOnly = takeFlag('--checks');
const complete = takeFlag('--complete');

const { passed, failed, skipped = 0 } = await main();
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);

async function main() {
  try {
    await ensureNode(steps);
    const missing = await bootstrap(steps, { programs: !checksOnly });
    const failedChecks = args.length === 0 || checksOnly ? await runChecks(stopRequest) : 0;
    stopRequest.check();
    if (checksOnly) return { passed: 0, failed: failedChecks };
    const tests =
      args.length === 0
        ? await runAllTests(stopRequest.requested, missing)
        : await runTests(args, stopRequest.requested, missing);
    console.log(`\nTook ${steps.elapsed}.`);
    for (const { file, name } of tests.flaky ?? [])
      console.log(`FLAKY ${[file, name].filter(Boolean).join(' > ')} (passed alone; see ${FLAKY_REPORT})`);
    const notRun = describeNotRun(tests.notRun);
    if (notRun !== '') console.log(notRun);
    const failed = tests.failed.length + failedChecks;
    return complete
      ? { passed: tests.passed, failed: failed + tests.notRun.count }
      : { passed: tests.passed, failed, skipped: tests.notRun.count };
  } catch (error) {
    if (!stopRequest.isRequested) explainFailure(error);
    return { passed: 0, failed: 1 };
  }
}

function takeFlag(name) {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}
