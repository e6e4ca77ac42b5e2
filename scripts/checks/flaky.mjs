import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOME, ROOT } from '../run/root.mjs';

/** More flaky tests fail the run. */
const MOST_FLAKY = 3;
/** Rows that the report keeps. */
const KEPT = 200;
export const FLAKY_REPORT = path.join(HOME, 'flaky.json');

/** Tests with browsers, whole programs or a control plane: the only ones that may count as flaky. */
const MAY_BE_FLAKY = [
  'scripts/**',
  'apps/control-plane/test/**',
  'apps/decision-api/test/*.e2e.ts',
  'packages/{cli,embedded,sdk}/test/*.e2e.ts',
];

/** Of these, the tests of money, isolation, races and faults: a promise that is broken once is a fault. */
const NEVER_FLAKY = [
  'apps/control-plane/test/{stripe,matrix}/**',
  'apps/control-plane/test/*{auto-top-up,card-page,entitlements,grants,invoices,offers,purchases,spend-cap,stripe}*',
  'apps/control-plane/test/*{access,hostile-text,isolation,matrix,other-tenant,tenant-hierarchy}*',
  'apps/control-plane/test/*{database-down,goal,nodes-agree,quota,sentinel,starts-alone,usage-never-high}*',
];

/** @param {string} file relative to the root */
export function mayBeFlaky(file) {
  const isIn = (globs) => globs.some((glob) => path.matchesGlob(file, glob));
  return isIn(MAY_BE_FLAKY) && !isIn(NEVER_FLAKY);
}

/**
 * Failed tests of Vitest's JSON report. A file that failed outside its tests, such as in a hook, has the name ''.
 * @returns {{ file: string, name: string, message: string }[]} `file` is relative to the root
 */
export function failedTests({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = path.relative(ROOT, name);
    const failed = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        file,
        name: fullName,
        message: failureMessages?.[0] ?? '',
      }));
    return status === 'failed' && failed.length === 0 ? [{ file, name: '', message }] : failed;
  });
}

/** Files to run again: none if too many tests failed, or one of them may not be flaky. */
export function filesToRepeat(failed) {
  if (failed.length > MOST_FLAKY || !failed.every(({ file }) => mayBeFlaky(file))) return [];
  return [...new Set(failed.map(({ file }) => file))];
}

/** Adds the tests to the report. @param {{ file: string, name: string, message: string }[]} tests */
export function recordFlaky(tests) {
  const rows = tests.map(({ file, name, message }) => ({
    at: new Date().toISOString(),
    file,
    name,
    message: message.split('\n', 1)[0],
  }));
  mkdirSync(HOME, { recursive: true });
  writeFileSync(FLAKY_REPORT, `${JSON.stringify([...readReport(), ...rows].slice(-KEPT), undefined, 2)}\n`);
}

function readReport() {
  try {
    return JSON.parse(readFileSync(FLAKY_REPORT, 'utf8'));
  } catch {
    return []; // the first flaky test, or a damaged report
  }
}
