import { existsSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';
import { StepError } from '../run/steps.mjs';
import { FILES, readJson, writePrivateJson } from './home.mjs';
import { explain, loadEmbedded } from './services.mjs';

const TITLES = { 'control-plane': 'Control plane and console', 'decision-api': 'Decision API' };
const PROBE_LIMIT_MS = 1_000;

/** @param publicUrl address of the console in the browser */
export function controlPlaneEnv(settings, secrets, addresses, publicUrl) {
  return {
    ...process.env,
    NODE_ENV: process.env.NODE_ENV ?? 'production',
    HOST: '127.0.0.1',
    PORT: String(settings.port),
    PUBLIC_URL: publicUrl,
    DECISION_URL: process.env.DECISION_URL ?? `http://127.0.0.1:${settings.decisionPort}`,
    DATABASE_URL: addresses.databaseUrl,
    DATABASE_MIGRATION_URL: '', // only setup gets the login that owns the tables
    REDIS_CONFIG_URL: addresses.redisConfigUrl,
    REDIS_COUNTERS_URL: addresses.redisCountersUrl,
    SESSION_SECRET: secrets.sessionSecret,
    DATABASE_SCOPE_SECRETS: secrets.databaseScopeSecret,
    ENCRYPTION_SECRETS: secrets.encryptionSecrets,
    AUDIT_KEY: secrets.auditKey,
    TOKEN_PEPPER: secrets.tokenPepper,
    POLICY_SIGNING_KEY: secrets.policyKey.private,
    REDIS_CONFIG_DURABILITY: process.env.REDIS_CONFIG_DURABILITY ?? 'best-effort',
    MAIL_TRANSPORT: process.env.MAIL_TRANSPORT ?? 'mailbox',
    PAYMENT_TEST_ENABLED: process.env.PAYMENT_TEST_ENABLED ?? 'true',
    WEBHOOK_ALLOWED_NETWORKS: process.env.WEBHOOK_ALLOWED_NETWORKS ?? '127.0.0.0/8',
    SIGN_UP_TIER: process.env.SIGN_UP_TIER ?? 'free',
    METRICS_PORT: String(settings.controlMetricsPort),
    CONSOLE_DIR: path.join(ROOT, 'apps/console/dist'),
    WORKER: 'inline',
  };
}

/**
 * Migrates; creates the admin, tokens and demo data. Returns what setup reports about them, and the rest of its work, the
 * demo's past requests, which ends later.
 */
export async function runSetup(env, secrets, { databaseMigrationUrl }) {
  const entry = builtFile('apps/control-plane/dist/setup.js');
  const logFile = path.join(FILES.logs, 'setup.log');
  writePrivateJson(FILES.setup, { ...readJson(FILES.setup), admin: secrets.admin });
  const setupEnv = {
    NODE_COMPILE_CACHE: FILES.compileCache,
    ...env,
    DATABASE_MIGRATION_URL: databaseMigrationUrl,
    SETUP_STATE_FILE: FILES.setup,
    DEMO_SEED: process.env.DEMO_SEED ?? 'true',
  };
  const done = Promise.withResolvers();
  const options = { cwd: ROOT, env: setupEnv, logFile, onMessage: done.resolve };
  const ended = runCommand(process.execPath, [entry], options);
  const failed = await Promise.race([done.promise.then(() => undefined), ended]);
  if (failed === undefined || failed.code === 0) return { setup: readJson(FILES.setup), history: ended };
  throw new StepError(`setup ended with code ${failed.code}.`, {
    logFile,
    output: failed.output,
    advice:
      'correct what the log names. When only the demo data of this copy is affected, deleting its folder begins again.',
  });
}

export async function startControlPlane(stack, env) {
  await startApp(stack, 'control-plane', env, `http://127.0.0.1:${env.PORT}/healthz`);
}

/** Returns the addresses of the servers. @param consoleUrl address of the console in the browser */
export async function startDecisionApi(stack, settings, secrets, addresses, consoleUrl) {
  const url = `http://127.0.0.1:${settings.decisionPort}`;
  const env = {
    ...process.env,
    NODE_ENV: process.env.NODE_ENV ?? 'production',
    HOST: '127.0.0.1',
    PORT: String(settings.decisionPort),
    RLS_PORT: String(settings.rlsPort),
    METRICS_PORT: String(settings.metricsPort),
    REDIS_CONFIG_URL: addresses.redisConfigUrl,
    REDIS_COUNTERS_URL: addresses.redisCountersUrl,
    CONSOLE_URL: process.env.CONSOLE_URL ?? consoleUrl,
    TOKEN_PEPPER: secrets.tokenPepper,
    POLICY_PUBLIC_KEYS: secrets.policyKey.public,
    DATA_DIR: FILES['decision-api'],
    NODE_ID: 'local-1',
    ...(stack.watchMode === undefined ? {} : { DRAIN_NOTICE_MS: '0' }),
  };
  delete env.DATABASE_URL; // it never reads Postgres
  delete env.DATABASE_MIGRATION_URL;
  await startApp(stack, 'decision-api', env, `${url}/readyz`);
  return {
    decisionUrl: url,
    rlsAddress: `127.0.0.1:${settings.rlsPort}`,
    metricsUrl: `http://127.0.0.1:${settings.metricsPort}/metrics`,
  };
}

/** Stops apps of an earlier start, which may occupy a port. */
export async function stopLeftovers() {
  const { takeOverDirectory } = await loadEmbedded();
  for (const name of Object.keys(TITLES)) await takeOverDirectory(FILES[name], 'SIGTERM');
}

async function startApp(stack, name, env, readyUrl) {
  const entry = builtFile(`apps/${name}/dist/main.js`);
  const { startOwnedService } = await loadEmbedded();
  await stack.start(TITLES[name], async (describe) => {
    const launch = () =>
      explain(`${name}.log`, (logFile) =>
        startOwnedService(FILES[name], {
          name,
          command: process.execPath,
          args: ['--enable-source-maps', entry],
          logFile,
          env: { NODE_COMPILE_CACHE: FILES.compileCache, ...env },
          cwd: ROOT,
          stopSignal: 'SIGTERM',
          isReady: () => answersOk(readyUrl, stack.stopRequest),
        }),
      );
    const part = await launch();
    describe(`port ${env.PORT}`);
    return { part: stack.watchMode?.add(name, launch, part) ?? part, result: undefined };
  });
}

async function answersOk(url, stopRequest) {
  stopRequest.check();
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false; // does not listen yet
  }
}

function builtFile(relative) {
  const file = path.join(ROOT, relative);
  if (existsSync(file)) return file;
  throw new StepError(`${relative} is missing: the build did not make it.`, {
    advice: 'delete node_modules/.tollgate and run the same command again.',
  });
}
