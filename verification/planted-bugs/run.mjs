// Plants one bug after the other in copies of the packages below and runs the suites that must detect it. First runs them without a
// bug, so that later failures are caused by the bug. Exits with 1 if a bug is not detected or its text is not found.
//
//   pnpm planted-bugs -- [--only name,name] [--jobs 2]
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTATIONS } from './mutations.ts';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));
const COPIED = ['limiter', 'policy', 'replay', 'decision-plane'];
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const config = fileURLToPath(new URL('vitest.config.mjs', import.meta.url));
const copies = join(packages, 'limiter', `.planted-${process.pid}`);

const PARITY_RUNS = 150;
const SEED = 20_260_731;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
});
const mutations = named(values.only?.split(','));

try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  rmSync(copies, { recursive: true, force: true });
}

async function run() {
  for (const mutation of MUTATIONS) textWith(mutation);
  const sound = {
    specs: [...new Set(mutations.flatMap(({ specs }) => specs))],
    kinds: mutations.flatMap(({ kinds }) => kinds ?? []).join(),
  };
  const before = await suitesIn(copyOf(undefined), sound);
  if (before.failed !== 0 || before.passed === 0) {
    console.log(`MISSED   the suites fail without a bug:
${before.output}`);
    return false;
  }
  const found = await inParallel(mutations, Number(values.jobs), async (mutation) => {
    const { failed, firstFailure, output } = await suitesIn(copyOf(mutation), mutation);
    const isFound = failed > 0;
    console.log(
      `${isFound ? 'found  ' : 'MISSED '}  ${mutation.name.padEnd(34)} ${isFound ? firstFailure : output.slice(0, 2000)}`,
    );
    return isFound;
  });
  const count = found.filter(Boolean).length;
  console.log(`\n${count} of ${mutations.length} planted bugs found`);
  return count === mutations.length;
}

function named(names) {
  const unknown = names?.filter((name) => !MUTATIONS.some((mutation) => mutation.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`unknown planted bug: ${unknown.join(', ')}`);
  return MUTATIONS.filter(({ name }) => names?.includes(name) ?? true);
}

/** Text of the file with the bug. @throws Error unless the file contains the text to replace exactly once */
function textWith({ name, file, before, after }) {
  const parts = readFileSync(join(packages, file), 'utf8').split(before);
  if (parts.length === 2) return parts.join(after);
  throw new Error(`${name}: ${file} contains the text to replace ${parts.length - 1} times instead of once`);
}

/** Creates copies of the packages with the bug. */
function copyOf(mutation) {
  const root = join(copies, mutation?.name ?? 'sound');
  for (const name of COPIED) {
    mkdirSync(join(root, name), { recursive: true });
    for (const part of ['src', 'test', 'tools', 'package.json']) {
      const from = join(packages, name, part);
      if (existsSync(from)) cpSync(from, join(root, name, part), { recursive: true });
    }
    symlinkSync(join(packages, name, 'node_modules'), join(root, name, 'node_modules'));
  }
  // The first failure suffices; shrinking takes up to a minute.
  for (const spec of ['limiter/test/parity.int.spec.ts', 'limiter/test/runs.int.spec.ts']) {
    const file = join(root, spec);
    writeFileSync(file, readFileSync(file, 'utf8').replace('endOnFailure: false', 'endOnFailure: true'));
  }
  if (mutation !== undefined) writeFileSync(join(root, mutation.file), textWith(mutation));
  return root;
}

/** Results of the suites in `root`. */
async function suitesIn(root, { specs, kinds }) {
  for (const name of ['limiter', 'decision-plane'])
    await execute([join(packages, 'limiter/tools/assemble.mjs')], join(root, name));
  const reportFile = join(root, 'report.json');
  const reporting = ['--reporter=json', `--outputFile=${reportFile}`];
  const output = await execute([vitest, 'run', '--config', config, ...reporting, ...specs], root, {
    PLANTED_ROOT: root,
    TEST_SEED: String(SEED),
    CARRY_OVER_RUNS: '15',
    RUNS_RUNS: '100',
    PARITY_RUNS: String(PARITY_RUNS),
    ...(kinds ? { PARITY_KINDS: kinds } : {}),
  });
  // Without a report, the run failed to start, which does not count as detection.
  if (!existsSync(reportFile)) return { passed: 0, failed: 0, firstFailure: '', output };
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const failures = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    firstFailure: failures[0]?.title.slice(0, 100) ?? '',
    output: report.testResults.map(({ message }) => message).join('\n'),
  };
}

function execute(args, cwd, env = {}) {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 28, timeout: 300_000 };
    execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve(`${stdout}${stderr}`.slice(-2000)),
    );
  });
}

async function inParallel(items, jobs, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}
