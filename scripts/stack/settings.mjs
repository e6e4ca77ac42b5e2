import { createServer } from 'node:net';
import path from 'node:path';
import { takeLock } from '../run/file-lock.mjs';
import { TOOL_DIR } from '../run/root.mjs';
import { StepError } from '../run/step-error.mjs';

const PREFERRED = { PORT: 4400, DECISION_PORT: 4401 };

/**
 * What the environment says about the parts to start.
 *
 * DATABASE_URL and REDIS_URL replace the embedded servers (REDIS_CONFIG_URL and REDIS_COUNTERS_URL each role of Redis
 * alone); PORT and DECISION_PORT choose the ports of the console and the decision API. Other copies with the same
 * `lockDir` cannot choose these.
 */
export async function readSettings(env = process.env, lockDir = TOOL_DIR) {
  const port = await choosePort('PORT', env, lockDir);
  const decisionPort = await choosePort('DECISION_PORT', env, lockDir, port);
  return {
    databaseUrl: env.DATABASE_URL || undefined,
    redisConfigUrl: env.REDIS_CONFIG_URL || env.REDIS_URL || undefined,
    redisCountersUrl: env.REDIS_COUNTERS_URL || env.REDIS_URL || undefined,
    port,
    decisionPort,
  };
}

/** The port that is asked for, or an error; without a wish the usual one, or a free one when it is taken. */
async function choosePort(name, env, lockDir, taken) {
  const wish = env[name];
  if (!wish) {
    const free = PREFERRED[name] !== taken && (await claim(PREFERRED[name], lockDir));
    return free ? PREFERRED[name] : await canListen(0);
  }
  const port = Number(wish);
  const advice = `set ${name} to a free port between 1 and 65535, or leave it out.`;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StepError(`${name}=${wish} is not a port.`, { advice });
  }
  if (port === taken) throw new StepError(`PORT and ${name} are both ${wish}.`, { advice });
  if (!(await claim(port, lockDir))) throw new StepError(`Port ${wish} (${name}) is in use.`, { advice });
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
  return (await canListen(port)) !== undefined;
}

/** The port when it can be bound on loopback (for 0: one that the system chose), else undefined. */
function canListen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address();
      server.close(() => resolve(bound));
    });
  });
}
