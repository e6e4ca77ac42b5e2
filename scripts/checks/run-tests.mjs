import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOOL_ENV } from '../bootstrap/install.mjs';
import { ROOT } from '../run/root.mjs';

/**
 * Runs Vitest in this terminal. A file that cannot be loaded counts as one failed test.
 * @param {Promise<void>} stopRequested ends the run early
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runTests(args, stopRequested) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-results-'));
  const resultFile = path.join(folder, 'results.json');
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: ROOT,
    // Tests start the same programs many times.
    env: { ...TOOL_ENV, NODE_COMPILE_CACHE: path.join(folder, 'compile-cache') },
    stdio: 'inherit',
  });
  stopRequested.then(() => child.kill('SIGTERM'));
  const code = await new Promise((resolve) => child.once('exit', (exitCode) => resolve(exitCode ?? 1)));
  const counts = countResults(resultFile);
  rmSync(folder, { recursive: true, force: true });
  // Vitest also fails for other reasons, such as an unhandled rejection.
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countResults(resultFile) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(resultFile, 'utf8'));
    const broken = testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    );
    return { passed: numPassedTests, failed: numFailedTests + broken.length };
  } catch {
    return { passed: 0, failed: 0 }; // Vitest ended before it could write; its exit code tells
  }
}
