import { rmSync } from 'node:fs';
import { bootstrapStart, ensureNode } from './bootstrap/bootstrap.mjs';
import { endRunningCommands } from './run/run-command.mjs';
import { explainFailure, StepError, Steps } from './run/steps.mjs';
import { StopRequest } from './run/stop-request.mjs';
import {
  controlPlaneEnv,
  runSetup,
  startControlPlane,
  startDecisionApi,
  stopLeftovers,
} from './stack/apps.mjs';
import { findDemoLimit, LiveTraffic } from './stack/demo-traffic.mjs';
import { FILES, loadSecrets, openHome, writePrivateJson } from './stack/home.mjs';
import { readyMessage } from './stack/ready-message.mjs';
import { providePostgres, provideRedis } from './stack/services.mjs';
import { readSettings } from './stack/settings.mjs';
import { Stack } from './stack/stack.mjs';
import { startConsole, WatchMode } from './stack/watch.mjs';

// npm start: from a checkout to a running instance. --watch (pnpm dev): recompiles and restarts what is edited.

const HELP = `npm start: the whole product with demo data, under .tollgate/ (docs/first-ten-minutes.md). Ctrl-C stops it.

  --watch  recompiles and restarts what is edited (pnpm dev)
  --help   prints this text

Settings are environment variables: DATABASE_URL, REDIS_URL, PORT, DECISION_PORT, RLS_PORT, METRICS_PORT, CONTROL_METRICS_PORT,
CONSOLE_PORT, TOLLGATE_HOME, DEMO_SEED, DEMO_TRAFFIC, DEMO_HISTORY_DAYS.`;

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}

const KEEP_ALIVE_MS = 60_000;
const steps = new Steps('Tollgate');
const watchMode = process.argv.includes('--watch') ? new WatchMode() : undefined;
const stack = new Stack(
  steps,
  new StopRequest(() => {
    stack.kill();
    process.exit(1);
  }),
  watchMode,
);

// A closed terminal or pipe must not stop the instance.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await main();

async function main() {
  let home;
  try {
    await ensureNode(steps);
    home = openHome();
    const consoleBuilt = await bootstrapStart(steps);
    const { dev, demoLimit } = await startAll(consoleBuilt);
    writePrivateJson(FILES.dev, dev);
    console.log(readyMessage(dev, demoLimit, steps.elapsed));
    await untilStopped();
    return 0;
  } catch (error) {
    if (stack.stopRequest.isRequested) return 0;
    explainFailure(error);
    return 1;
  } finally {
    if (home !== undefined) rmSync(FILES.dev, { force: true }); // else it is another copy's
    if (stack.stopRequest.isRequested) console.log('\nStopping.');
    endRunningCommands();
    await stack.stop();
    if (stack.stopRequest.isRequested) console.log('Stopped.');
    home?.release();
  }
}

/** @param {() => Promise<void>} consoleBuilt the control plane serves the files that exist when it starts */
async function startAll(consoleBuilt) {
  await stopLeftovers();
  const settings = await readSettings();
  const secrets = loadSecrets();
  const [database, redis] = await together(
    providePostgres(stack, settings, secrets),
    provideRedis(stack, settings),
  );
  const addresses = { ...database, ...redis };
  const controlPlaneUrl = `http://127.0.0.1:${settings.port}`;
  const consoleUrl = watchMode === undefined ? controlPlaneUrl : `http://127.0.0.1:${settings.consolePort}`;
  const env = controlPlaneEnv(settings, secrets, addresses, consoleUrl);
  const { setup, history } = await stack.step('Migrations, admin and demo data', () =>
    runSetup(env, secrets, addresses),
  );
  await consoleBuilt();
  const [{ decisionUrl, rlsAddress, metricsUrl }] = await together(
    startDecisionApi(stack, settings, secrets, addresses, consoleUrl),
    startControlPlane(stack, { ...env, DECISION_TOKEN: setup.serviceToken }),
  );
  const { demo } = setup;
  const demoLimit = demo && (await findDemoLimit(decisionUrl, setup.serviceToken, demo));
  if (demo !== undefined && process.env.DEMO_TRAFFIC !== 'off') {
    // After the past requests, so that each request is counted on top of the earlier ones.
    const traffic = new LiveTraffic(decisionUrl, setup.serviceToken, demo.tenant, history);
    stack.addPart('Demo traffic', traffic);
  }
  if (watchMode !== undefined) {
    await startConsole(stack, consoleUrl, controlPlaneUrl);
    watchMode.start(stack);
  }
  const dev = {
    consoleUrl,
    graphqlUrl: `${consoleUrl}/graphql`,
    decisionUrl,
    rlsAddress,
    metricsUrl,
    controlMetricsUrl: `http://127.0.0.1:${settings.controlMetricsPort}/metrics`,
    signInUrl: setup.signInUrl,
    admin: secrets.admin,
    serviceToken: setup.serviceToken,
    adminToken: setup.adminToken,
    redisUrl: addresses.redisCountersUrl,
    demo,
  };
  return { dev, demoLimit };
}

/** All results; after an error, what else was starting has started, so that it can be stopped. */
async function together(...starts) {
  await Promise.allSettled(starts);
  return Promise.all(starts);
}

/** @throws StepError when a part ends unexpectedly */
async function untilStopped() {
  const keepAlive = setInterval(() => {}, KEEP_ALIVE_MS); // the parts do not keep this process running
  const failed = await Promise.race([stack.failed, stack.stopRequest.requested]);
  clearInterval(keepAlive);
  if (failed === undefined) return;
  throw Object.assign(
    new StepError('It ended while Tollgate was running; the other parts are stopped now.', {
      logFile: failed.logFile,
    }),
    { stepName: failed.name },
  );
}
