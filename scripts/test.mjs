import { bootstrap, ensureNode } from './bootstrap/bootstrap.mjs';
import { FLAKY_REPORT } from './checks/flaky.mjs';
import { runChecks } from './checks/run-checks.mjs';
import { runAllTests, runTests } from './checks/run-tests.mjs';
import { explainFailure, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';

// npm test: all checks, then all tests; the last line counts each failed check as one failed test.
// npm test -- <arguments of vitest>: only these tests.
// npm test -- --checks (pnpm check): only the checks.

const steps = new Steps('Tollgate tests');
const stopRequest = new StopRequest();
const args = process.argv.slice(2);
const checksOnly = args.includes('--checks');

const { passed, failed } = await main();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function main() {
  try {
    await ensureNode(steps);
    await bootstrap(steps);
    const failedChecks = args.length === 0 || checksOnly ? await runChecks(stopRequest) : 0;
    stopRequest.check();
    if (checksOnly) return { passed: 0, failed: failedChecks };
    const tests =
      args.length === 0
        ? await runAllTests(stopRequest.requested)
        : await runTests(args, stopRequest.requested);
    console.log(`\nTook ${steps.elapsed}.`);
    for (const { file, name } of tests.flaky ?? [])
      console.log(`FLAKY ${[file, name].filter(Boolean).join(' > ')} (passed alone; see ${FLAKY_REPORT})`);
    return { passed: tests.passed, failed: tests.failed.length + failedChecks };
  } catch (error) {
    if (!stopRequest.isRequested) explainFailure(error);
    return { passed: 0, failed: 1 };
  }
}
