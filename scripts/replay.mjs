import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { bootstrap, ensureNode } from './bootstrap/bootstrap.mjs';
import { HOME, ROOT } from './run/root.mjs';
import { explainFailure, StepError, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';

// npm run replay -- <file> …: sends an access log through the decision API of a running instance.

const steps = new Steps('Tollgate replay');
const stopRequest = new StopRequest();
process.exitCode = await main();

async function main() {
  try {
    await ensureNode(steps);
    await bootstrap(steps);
    const entry = path.join(ROOT, 'packages/cli/dist/main.js');
    if (!existsSync(entry))
      throw new StepError('packages/cli/dist/main.js is missing: the build did not make it.', {
        advice: 'delete node_modules/.tollgate and run the same command again.',
      });
    stopRequest.check();
    return await runCli(entry, ['replay', ...process.argv.slice(2)]);
  } catch (error) {
    if (stopRequest.isRequested) return 130;
    explainFailure(error);
    return 1;
  }
}

async function runCli(entry, args) {
  // npm changes the folder; file names are relative to the caller's.
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const env = { ...process.env, TOLLGATE_HOME: HOME };
  const child = spawn(process.execPath, ['--enable-source-maps', entry, ...args], {
    stdio: 'inherit',
    cwd,
    env,
  });
  stopRequest.requested.then(() => child.kill('SIGTERM'));
  return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
