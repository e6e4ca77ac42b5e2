import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOOL_ENV } from '../bootstrap/install.mjs';
import { missingProgramsEnv } from '../bootstrap/programs.mjs';
import { ROOT } from '../run/root.mjs';
import { failedTests, filesToRepeat, recordFlaky } from './flaky.mjs';
import { findNotRun } from './not-run.mjs';

/**
 * Runs Vitest in this terminal. A file that fails outside its tests counts as one failed test.
 * @param {string[]} args of Vitest
 * @param {Promise<void>} stopRequested ends the run early
 * @param {string[]} missing packages whose tests do not run
 * @param {NodeJS.ProcessEnv} [env] added to the environment
 * @returns {Promise<Results>}
 *
 * @typedef {object} Results
 * @property {number} passed
 * @property {{ file: string, name: string, message: string }[]} failed
 * @property {ReturnType<typeof findNotRun>} notRun
 */
export async function runTests(args, stopRequested, missing, env) {
  const { report, failed } = await runVitest(args, stopRequested, { ...missingProgramsEnv(missing), ...env });
  return { passed: report.numPassedTests, failed, notRun: findNotRun(report, missing) };
}

/**
 * Runs all tests. If few failed, all in files that may be flaky, runs these files again, one after the other: a test
 * that passes then counts as passed, and as flaky.
 * @returns {Promise<Results & { flaky: Results['failed'] }>}
 */
export async function runAllTests(stopRequested, missing) {
  const env = missingProgramsEnv(missing);
  const first = await runVitest([], stopRequested, env);
  const notRun = findNotRun(first.report, missing);
  const files = filesToRepeat(first.failed);
  if (files.length === 0)
    return { passed: first.report.numPassedTests, failed: first.failed, notRun, flaky: [] };
  console.log(`\nThese files run again alone: ${files.join(', ')}\n`);
  const second = await runVitest([...files, '--no-file-parallelism'], stopRequested, env);
  const failsAgain = (test) => second.failed.some(({ file }) => file === test.file || file === '');
  const flaky = first.failed.filter((test) => !failsAgain(test));
  if (flaky.length > 0) recordFlaky(flaky);
  const elsewhere = first.report.numPassedTests - passedIn(first.report, files);
  return {
    passed: elsewhere + second.report.numPassedTests,
    failed: first.failed.filter(failsAgain),
    notRun,
    flaky,
  };
}

async function runVitest(args, stopRequested, env) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-results-'));
  const resultFile = path.join(folder, 'results.json');
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: ROOT,
    // Tests start the same programs many times.
    env: { ...TOOL_ENV, NODE_COMPILE_CACHE: path.join(folder, 'compile-cache'), ...env },
    stdio: 'inherit',
  });
  stopRequested.then(() => child.kill('SIGTERM'));
  const code = await new Promise((resolve) => child.once('exit', (exitCode) => resolve(exitCode ?? 1)));
  const report = readReport(resultFile);
  rmSync(folder, { recursive: true, force: true });
  const failed = failedTests(report);
  // Vitest also fails for other reasons, such as an unhandled rejection.
  if (code !== 0 && failed.length === 0) failed.push({ file: '', name: '', message: `exit code ${code}` });
  return { report, failed };
}

function passedIn({ testResults }, files) {
  return testResults
    .filter(({ name }) => files.includes(path.relative(ROOT, name)))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed').length;
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, testResults: [] }; // Vitest ended before it could write; its exit code tells
  }
}
