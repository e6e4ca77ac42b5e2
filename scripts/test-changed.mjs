import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { bootstrap, ensureNode } from './bootstrap/bootstrap.mjs';
import { describeNotRun } from './checks/not-run.mjs';
import { runCheck } from './checks/run-checks.mjs';
import { runTests } from './checks/run-tests.mjs';
import { ROOT } from './run/root.mjs';
import { explainFailure, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';

// pnpm test:changed [ref]: types, format, and tests near the files that differ from a commit (default HEAD), without
// end-to-end tests.

const steps = new Steps('Tollgate tests of what changed');
const stopRequest = new StopRequest();
process.exit((await main(process.argv[2] ?? 'HEAD')) ? 0 : 1);

async function main(ref) {
  try {
    await ensureNode(steps);
    const missing = await bootstrap(steps, { programs: true });
    const files = changedFiles(ref);
    if (files.length === 0) {
      console.log(`Nothing differs from ${ref}.`);
      return true;
    }
    const [types, format, tests] = await Promise.all([
      runCheck({ name: 'Types', pnpm: ['exec', 'tsgo', '-p', 'tsconfig.node.json'] }),
      runCheck({
        name: 'Format and lint',
        pnpm: ['exec', 'biome', 'check', '--no-errors-on-unmatched', ...files],
      }),
      runTests(testArguments(files), stopRequest.requested, missing),
    ]);
    const notRun = describeNotRun(tests.notRun);
    if (notRun !== '') console.log(notRun);
    console.log(`\nTook ${steps.elapsed}. ${tests.passed} passed, ${tests.failed.length} failed`);
    return types && format && tests.failed.length === 0;
  } catch (error) {
    if (!stopRequest.isRequested) explainFailure(error);
    return false;
  }
}

function changedFiles(ref) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const files = [
    ...git('diff', '--name-only', '--diff-filter=d', ref),
    ...git('ls-files', '-o', '--exclude-standard'),
  ];
  return [...new Set(files)].filter((file) => /\.(ts|tsx|mjs|lua)$/.test(file));
}

/** Changed tests, and tests in the folders of changed sources. */
function testArguments(files) {
  const isTest = (file) => /\.(spec|e2e)\.(ts|tsx|mjs)$/.test(file);
  const filters = new Set(files.map((file) => (isTest(file) ? file : `${path.dirname(file)}/`)));
  const projects = ['unit', 'console', 'int', 'control-plane', 'dated'].map((name) => `--project=${name}`);
  return [...projects, '--passWithNoTests', ...filters];
}
