import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLock } from '../run/file-lock.mjs';
import { HOME, TOOL_DIR } from '../run/root.mjs';
import { build, findUnbuilt, installDependencies, markBuilt } from './install.mjs';
import { fetchNode, isNodeRecent, runAgainWith, wantedNodeVersion } from './own-node.mjs';
import { ensurePrograms } from './programs.mjs';

const LOCK_POLL_MS = 200;
const LOGS = path.join(HOME, 'logs');
const CONSOLE = '@tollgate/console';

/** Under an old Node: fetches Node from npm, runs the same script with it and exits. */
export async function ensureNode(steps) {
  if (isNodeRecent()) return;
  const executable = await steps.run(`Node ${wantedNodeVersion()}`, (describe) => {
    describe(`from npm, because this one is ${process.versions.node}`);
    return fetchNode();
  });
  await runAgainWith(executable);
}

/**
 * For tests and tools: installs the locked dependencies and builds changed sources. Concurrent calls wait for each
 * other.
 * @param {{ programs?: boolean }} options whether to fetch what only tests use
 * @returns {Promise<string[]>} packages whose programs are missing
 */
export async function bootstrap(steps, { programs = false } = {}) {
  const lock = await waitForLock(steps);
  try {
    await install(steps, { tools: true });
    const missing = programs ? await steps.run('Programs', fetchPrograms) : [];
    await steps.run('Build', async (describe) => {
      const hash = findUnbuilt();
      if (hash === undefined) return describe('unchanged');
      await build(path.join(LOGS, 'build.log'));
      markBuilt(hash);
    });
    return missing;
  } finally {
    lock.release();
  }
}

/**
 * For a start: installs what the product needs and builds its servers.
 * @returns {Promise<() => Promise<void>>} waits for the console, whose build goes on
 */
export async function bootstrapStart(steps) {
  const lock = await waitForLock(steps);
  let consoleBuilt = Promise.resolve();
  try {
    await install(steps, { tools: false });
    const hash = findUnbuilt();
    await steps.run('Build', async (describe) => {
      if (hash === undefined) describe('unchanged');
      else await build(path.join(LOGS, 'build.log'), [`!${CONSOLE}`]);
    });
    if (hash === undefined) return async () => {};
    consoleBuilt = build(path.join(LOGS, 'build-console.log'), [CONSOLE]).then(() => markBuilt(hash));
    return () => steps.run('Console', () => consoleBuilt);
  } finally {
    consoleBuilt.catch(() => {}).finally(() => lock.release()); // its error belongs to the one who waits
  }
}

function install(steps, { tools }) {
  return steps.run('Dependencies', async (describe, progress) => {
    if (!(await installDependencies(LOGS, { tools, onOutput: progress }))) describe('unchanged');
  });
}

async function fetchPrograms(describe) {
  const logFile = path.join(LOGS, 'programs.log');
  const { fetched, missing } = await ensurePrograms(logFile);
  const parts = [];
  if (fetched.length > 0) parts.push(`${fetched.join(', ')} from Debian packages`);
  if (missing.length > 0) parts.push(`without ${missing.join(', ')}: ${logFile}`);
  describe(parts.join('; ') || 'unchanged');
  return missing;
}

async function waitForLock(steps) {
  const file = path.join(TOOL_DIR, 'bootstrap.lock');
  const first = takeLock(file);
  if ('release' in first) return first;
  return await steps.run(`Waiting for process ${first.holder}, which installs or builds here`, async () => {
    for (;;) {
      const lock = takeLock(file);
      if ('release' in lock) return lock;
      await delay(LOCK_POLL_MS);
    }
  });
}
