import fs from 'node:fs';
import path from 'node:path';
import { bootstrap, ensureNode } from './bootstrap/bootstrap.mjs';
import { pnpmVersion, TOOL_ENV } from './bootstrap/install.mjs';
import { usePrograms } from './bootstrap/programs.mjs';
import { DATES } from './checks/dates.mjs';
import { HOME, ROOT } from './run/root.mjs';
import { runCommand } from './run/run-command.mjs';
import { explainFailure, StepError, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';

// pnpm test:nightly: tests that take too long for `npm test`; the last line counts parts.
// pnpm test:nightly -- chaos pgbouncer: only these parts.

const pnpm = (...args) => ['npx', ['--yes', `pnpm@${pnpmVersion()}`, ...args]];
const vitest = (projects, ...files) => [
  process.execPath,
  [
    path.join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...projects.map((name) => `--project=${name}`),
    ...files,
  ],
];

const SEEDED = [
  'audit.int',
  'auto-top-up.int',
  'demo-shop.int',
  'effective-limits.e2e',
  'hostile-text.e2e',
  'paid-granted.e2e',
  'quota-property.int',
  'spend-cap.e2e',
  'usage-ingest.int',
];

/** Commands, arguments and variables of each part. A part named like a test file `<name>.nightly.*` also runs this file. */
const COMMANDS = {
  // These forms count and compare. The full ones also assert times, which needs a machine of its own.
  chaos: [
    pnpm('chaos', '--only', 'decisions', '--in-process', '--scale', '0.1'),
    pnpm('chaos', '--only', 'R1-CPU'),
    pnpm('chaos', '--only', 'control-plane', '--scale', '0.04'),
  ],
  dates: [[...vitest(['dated*'], '--maxWorkers=100%', 'apps/control-plane'), { TEST_DATE: DATES.join() }]],
  matrix: [vitest(['control-plane'], 'test/access.e2e.ts', 'test/tenant-matrix.e2e.ts')],
  'planted-bugs': [pnpm('planted-bugs')],
  // Of the other tests of the control plane, no result depends on the seed.
  random: [
    pnpm('test:random', '--project=unit', '--project=int'),
    pnpm('test:random', '--project=control-plane', '--project=dated', ...SEEDED),
  ],
  'previous-release': [pnpm('test:upgrade')],
  pgbouncer: [pnpm('test:pgbouncer')],
  replay: [pnpm('replay:hour')],
  yard: [pnpm('yard')],
};

usePrograms();
const ENV = { ...TOOL_ENV, PATH: process.env.PATH, TEST_TIER: 'nightly' };
const ADVICE = 'read the log, correct what it names, run this part again.';

const steps = new Steps('Tollgate nightly tests');
const stopRequest = new StopRequest();
const chosen = process.argv.slice(2).filter((arg) => arg !== '--');

const { passed, failed } = await main();
console.log(`\nTook ${steps.elapsed}.\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function main() {
  const counts = { passed: 0, failed: 0 };
  try {
    await ensureNode(steps);
    const parts = chooseParts(partsByName());
    await bootstrap(steps, { programs: true });
    for (const [name, commands] of parts) {
      stopRequest.check();
      const holds = await runPart(name, commands);
      counts[holds ? 'passed' : 'failed'] += 1;
    }
    return counts;
  } catch (error) {
    if (!stopRequest.isRequested) explainFailure(error);
    return { ...counts, failed: counts.failed + 1 };
  }
}

function partsByName() {
  const parts = new Map(Object.entries(COMMANDS));
  for (const file of fs.globSync('{{{apps,packages}/*,scripts}/test,verification/*}/*.nightly.{ts,mjs}', {
    cwd: ROOT,
  })) {
    const [name] = path.basename(file).split('.');
    parts.set(name, [vitest(['nightly', 'dated'], file), ...(parts.get(name) ?? [])]);
  }
  return parts;
}

function chooseParts(parts) {
  const unknown = chosen.filter((name) => !parts.has(name));
  if (unknown.length > 0) {
    throw new StepError(`There is no part ${unknown.join(', ')}.`, {
      advice: `name any of ${[...parts.keys()].join(', ')}.`,
    });
  }
  return [...parts].filter(([name]) => chosen.length === 0 || chosen.includes(name));
}

/** Prints one line; the output of each command is in a log. Returns whether all succeeded. */
async function runPart(name, commands) {
  try {
    await steps.run(name, async () => {
      const failures = [];
      for (const [index, [command, args, env]] of commands.entries()) {
        const logFile = path.join(HOME, 'logs/nightly', `${name}-${index + 1}.log`);
        const { code, output } = await runCommand(command, args, {
          cwd: ROOT,
          env: { ...ENV, ...env },
          logFile,
        });
        if (code !== 0) failures.push({ output, logFile });
      }
      if (failures.length > 0) throw new StepError('', { ...failures[0], advice: ADVICE });
    });
    return true;
  } catch (error) {
    if (!stopRequest.isRequested) explainFailure(error);
    return false;
  }
}
