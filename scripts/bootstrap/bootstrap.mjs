import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLock } from '../run/file-lock.mjs';
import { HOME, TOOL_DIR } from '../run/root.mjs';
import { buildAll, installDependencies } from './install.mjs';
import { fetchNode, isNodeRecent, runAgainWith, wantedNodeVersion } from './own-node.mjs';
import { ensurePrograms } from './programs.mjs';

const LOCK_POLL_MS = 200;

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
 * Installs the locked dependencies and builds changed sources. Concurrent calls wait for each other.
 * @param {{ programs?: boolean }} options whether to fetch what only tests use
 * @returns {Promise<string[]>} packages whose programs are missing
 */
export async function bootstrap(steps, { programs = false } = {}) {
  const logDir = path.join(HOME, 'logs');
  const lock = await waitForLock(steps);
  try {
    await steps.run('Dependencies', async (describe) => {
      if (!(await installDependencies(logDir))) describe('unchanged');
    });
    const missing = programs
      ? await steps.run('Programs', (describe) => fetchPrograms(logDir, describe))
      : [];
    await steps.run('Build', async (describe) => {
      if (!(await buildAll(logDir))) describe('unchanged');
    });
    return missing;
  } finally {
    lock.release();
  }
}

async function fetchPrograms(logDir, describe) {
  const logFile = path.join(logDir, 'programs.log');
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
