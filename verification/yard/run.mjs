import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { usePrograms } from '../../scripts/bootstrap/programs.mjs';
import { ROOT } from '../../scripts/run/root.mjs';
import { seconds } from '../../scripts/run/steps.mjs';
import { makeArtifacts } from './apps.mjs';
import { backUpAndRestore, fireAlerts, restartEverything } from './phases.mjs';
import { Yard } from './yard.mjs';

// Usage: pnpm yard. Builds an installation like production on this machine from built artifacts, restarts every part under
// load, fires and clears alerts, takes and restores a backup, and prints times and memory. Its short form is
// story.nightly.mjs.

usePrograms();

const SIZE = { controlPlanes: 2, workers: 2, nodes: 3 };
const SETTINGS = { SIGN_UP_TIER: 'maps-free' };

// console, because the result of this command is what it prints.
const timed = async (title, run) => {
  const begin = performance.now();
  const result = await run();
  console.log(`${title}: ${seconds(performance.now() - begin)}`);
  return result;
};

const artifacts = path.join(mkdtempSync(path.join(tmpdir(), 'tollgate-artifacts-')), 'images');
try {
  await timed('Artifacts of both images', () => makeArtifacts(artifacts));
  const problems = await withYard(new Yard(), tryEverything);
  // The Postgres from npm has no pg_dump.
  await withYard(new Yard({ postgresPrograms: 'PATH' }), tryBackup);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(path.dirname(artifacts), { recursive: true, force: true });
}

/** Runs `use` with a yard; keeps its logs after a failure. */
async function withYard(yard, use) {
  const interrupt = async () => {
    await yard.stop();
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  try {
    const result = await use(yard);
    await yard.stop();
    yard.remove();
    return result;
  } catch (error) {
    console.error(`Logs: ${yard.logs}`);
    await yard.stop();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Returns failed decisions and lost changes. */
async function tryEverything(yard) {
  await timed('Start of all servers and apps', () => yard.start({ artifacts, ...SIZE, settings: SETTINGS }));
  await timed('The story of a customer', () => runStory(yard));
  const request = { tenant: 'startup', api: 'maps', operation: 'tile' };
  const report = await timed('Restarts under load', () =>
    restartEverything(yard, { request, tierKey: 'maps-free', perSecond: 200 }),
  );
  console.table(
    report.steps.map(({ failures, seconds, ...step }) => ({ ...step, seconds: Number(seconds.toFixed(1)) })),
  );
  console.log(
    `${report.acknowledged} changes acknowledged, ${report.retries} sent again, ${report.lost.length} lost`,
  );
  printMemory(yard);
  const alerts = await timed('Alerts', () => fireAlerts(yard, request));
  console.log(
    `Fired after ${JSON.stringify(alerts.firedAfter)} s, cleared ${alerts.clearedAfter} s after the repair`,
  );
  return [
    ...report.steps.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`)),
    ...report.lost,
  ];
}

async function tryBackup(yard) {
  const size = { controlPlanes: 1, workers: 1, nodes: 1 };
  await timed('Start of a yard with Postgres 15', () =>
    yard.start({ artifacts, ...size, settings: SETTINGS }),
  );
  await timed('The story of a customer', () => runStory(yard));
  console.log(await timed('Backup and restore', () => backUpAndRestore(yard)));
}

/** Resident memory of each app. */
function printMemory({ apps }) {
  const rows = apps.all.map(({ name, child }) => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return { name, MiB: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024) };
  });
  console.table(rows);
}

/** The story test, through this yard. */
function runStory({ dev }) {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  execFileSync(
    process.execPath,
    [vitest, 'run', '--project', 'nightly', 'verification/yard/story.nightly.mjs'],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, TEST_TIER: 'nightly', TOLLGATE_YARD: JSON.stringify(dev) },
    },
  );
}
