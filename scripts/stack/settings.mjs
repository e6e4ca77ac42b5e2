import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { takeLock } from '../run/file-lock.mjs';
import { StepError } from '../run/steps.mjs';

/** Shared by all checkouts of a user, because they share the machine's ports. */
const LOCK_DIR = path.join(tmpdir(), `tollgate-ports-${userInfo().uid}`);

const PREFERRED = { PORT: 4400, DECISION_PORT: 4401, RLS_PORT: 4402, METRICS_PORT: 4403, CONSOLE_PORT: 4404 };

/**
 * What the environment says about the parts to start.
 *
 * DATABASE_URL and REDIS_URL replace the embedded servers (REDIS_CONFIG_URL and REDIS_COUNTERS_URL each role of Redis
 * alone); PORT, DECISION_PORT, RLS_PORT and METRICS_PORT choose the ports of the console, the decision API, its gRPC server and
 * its metrics; CONSOLE_PORT that of the console in watch mode. Other copies with the same `lockDir` cannot choose these.
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
  };
}

/**
 * The requested port, or an error; without a request the usual one, or a free one when that is in use.
 * @param {Map<string, number>} chosen ports of this copy, by the names of their variables
 */
async function choosePort(name, env, lockDir, chosen) {
  const requested = env[name];
  if (!requested) {
    const taken = new Set(chosen.values());
    const usual = PREFERRED[name];
    return !taken.has(usual) && (await claim(usual, lockDir)) ? usual : await freePort(taken, lockDir);
  }
  const port = Number(requested);
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

/**
 * Whether the port is free, for as long as this process lives: seconds pass until an app binds it, and another copy that
 * starts meanwhile would find it free as well.
 */
async function claim(port, lockDir) {
  const lock = takeLock(path.join(lockDir, `port-${port}.lock`));
  if ('holder' in lock && lock.holder !== process.pid) return false;
  if ('release' in lock) process.once('exit', lock.release);
  return canListen(port);
}

/**
 * A random port from 20000 to 32767. Operating systems choose ports for outgoing connections and for `listen(0)` above that
 * range, so neither Postgres nor a client takes the port before the app binds it.
 */
async function freePort(taken, lockDir) {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if (!taken.has(port) && (await claim(port, lockDir))) return port;
  }
}

/** Whether the port can be bound on loopback now. */
function canListen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
