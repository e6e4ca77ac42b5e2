import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLock } from '../run/file-lock.mjs';
import { HOME, TOOL_DIR } from '../run/root.mjs';
import { buildAll, installDependencies } from './install.mjs';
import { fetchNode, isNodeRecent, runAgainWith, wantedNodeVersion } from './own-node.mjs';

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

/** Installs the locked dependencies and builds changed sources. Concurrent calls wait for each other. */
export async function bootstrap(steps) {
  const logDir = path.join(HOME, 'logs');
  const lock = await waitForLock(steps);
  try {
    await steps.run('Dependencies', async (describe) => {
      if (!(await installDependencies(logDir))) describe('unchanged');
    });
    await steps.run('Build', async (describe) => {
      if (!(await buildAll(logDir))) describe('unchanged');
    });
  } finally {
    lock.release();
  }
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
