import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { takeLock } from '../run/file-lock.mjs';
import { StepError } from '../run/steps.mjs';

/** Checkouts of a user share the machine's ports. */
const LOCK_DIR = path.join(tmpdir(), `tollgate-ports-${userInfo().uid}`);

const PREFERRED = {
  PORT: 4400,
  DECISION_PORT: 4401,
  RLS_PORT: 4402,
  METRICS_PORT: 4403,
  CONSOLE_PORT: 4404,
  CONTROL_METRICS_PORT: 4405,
};

/**
 * DATABASE_URL and REDIS_URL (or REDIS_CONFIG_URL and REDIS_COUNTERS_URL) replace the embedded servers. PORT,
 * DECISION_PORT, RLS_PORT, METRICS_PORT, CONTROL_METRICS_PORT (of the control plane) and CONSOLE_PORT choose ports, which
 * are reserved among instances with the same `lockDir`.
 */
export async function readSettings(env = process.env, lockDir = LOCK_DIR) {
  const ports = new Map();
  for (const name of Object.keys(PREFERRED)) ports.set(name, await choosePort(name, env, lockDir, ports));
  return {
    databaseUrl: env.DATABASE_URL || undefined,
    databaseMigrationUrl: env.DATABASE_MIGRATION_URL || undefined,
    redisConfigUrl: env.REDIS_CONFIG_URL || env.REDIS_URL || undefined,
    redisCountersUrl: env.REDIS_COUNTERS_URL || env.REDIS_URL || undefined,
    port: ports.get('PORT'),
    decisionPort: ports.get('DECISION_PORT'),
    rlsPort: ports.get('RLS_PORT'),
    metricsPort: ports.get('METRICS_PORT'),
    consolePort: ports.get('CONSOLE_PORT'),
    controlMetricsPort: ports.get('CONTROL_METRICS_PORT'),
  };
}

/** The requested port, or an error; by default the usual port, or a free one. @param {Map<string, number>} chosen */
async function choosePort(name, env, lockDir, chosen) {
  const requested = env[name];
  if (!requested) {
    const taken = new Set(chosen.values());
    const usual = PREFERRED[name];
    return !taken.has(usual) && (await claim(usual, lockDir)) ? usual : await freePort(taken, lockDir);
  }
  // `4.000` would be 4.
  const port = /^\d+$/.test(requested) ? Number(requested) : Number.NaN;
  const advice = `set ${name} to a free port between 1 and 65535, or leave it out.`;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StepError(`${name}=${requested} is not a port.`, { advice });
  }
  for (const [other, itsPort] of chosen) {
    if (port === itsPort) throw new StepError(`${other} and ${name} are both ${requested}.`, { advice });
  }
  if (!(await claim(port, lockDir)))
    throw new StepError(`Port ${requested} (${name}) is in use.`, { advice });
  return port;
}

const reserved = new Set();

/** A free port, reserved for the lifetime of this process. */
export async function reservePort() {
  process.setMaxListeners(process.getMaxListeners() + 1); // each reservation ends with the process
  const port = await freePort(reserved, LOCK_DIR);
  reserved.add(port);
  return port;
}

/** Reserves a free port for the lifetime of this process: apps bind it only seconds later. */
async function claim(port, lockDir) {
  const lock = takeLock(path.join(lockDir, `port-${port}.lock`));
  if ('holder' in lock && lock.holder !== process.pid) return false;
  if ('release' in lock) process.once('exit', lock.release);
  return canListen(port);
}

/** Below the range for outgoing connections and `listen(0)`, above the ports that `startOnPort` of packages/embedded tries. */
async function freePort(taken, lockDir) {
  for (;;) {
    const port = randomInt(26_000, 32_768);
    if (!taken.has(port) && (await claim(port, lockDir))) return port;
  }
}

function canListen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
