import { Redis } from 'ioredis';
import type { Yard } from './yard.ts';

/** Something that keeps the counters from being asked. */
export interface Fault {
  readonly name: string;
  /** More of redis-server's options that it needs. */
  readonly redisArgs?: readonly string[];
  begin(yard: Yard): Promise<void>;
  end(yard: Yard): Promise<void>;
}

const ALL_SLOTS = [0, 16_383] as const;

/** Enough for a restart to load for seconds. */
const KEYS_TO_LOAD = 3000;
const LOAD_DELAY_US = 1000;

const PASSWORD = 'changed';

/** How often connections are reset. */
const RESET_EVERY_MS = 20;

/** Ten kinds, on one server behind the yard's shared proxy. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    begin: async (yard) => {
      yard.counters.kill('SIGKILL');
      await yard.counters.exited;
    },
    end: (yard) => yard.restartCounters(),
  },
  {
    name: 'freeze',
    begin: async (yard) => yard.counters.kill('SIGSTOP'),
    end: async (yard) => yard.counters.kill('SIGCONT'),
  },
  {
    name: 'black hole',
    begin: async (yard) => yard.proxy.freeze(),
    end: async (yard) => yard.proxy.thaw(),
  },
  resets(),
  {
    name: '+500 ms',
    begin: async (yard) => yard.proxy.setLatencyMs(500),
    end: async (yard) => yard.proxy.setLatencyMs(0),
  },
  loading(),
  {
    name: 'READONLY',
    // A replica of nobody: it serves what it has, and takes nothing.
    begin: (yard) => command(yard, 'REPLICAOF', '127.0.0.1', '1'),
    end: (yard) => command(yard, 'REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'OOM',
    begin: (yard) => command(yard, 'CONFIG', 'SET', 'maxmemory', '1'),
    end: (yard) => command(yard, 'CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    name: 'wrong password',
    begin: async (yard) => {
      await command(yard, 'CONFIG', 'SET', 'requirepass', PASSWORD);
      await commandAs(PASSWORD, yard, 'CLIENT', 'KILL', 'TYPE', 'normal');
    },
    end: (yard) => commandAs(PASSWORD, yard, 'CONFIG', 'SET', 'requirepass', ''),
  },
  {
    name: 'CLUSTERDOWN',
    // A cluster of one that has lost its slots.
    redisArgs: ['--cluster-enabled', 'yes'],
    begin: (yard) => command(yard, 'CLUSTER', 'DELSLOTSRANGE', ...ALL_SLOTS),
    end: (yard) => command(yard, 'CLUSTER', 'ADDSLOTSRANGE', ...ALL_SLOTS),
  },
];

/** Sends a command to the counters' server itself, past the proxy. */
export function command(yard: Yard, name: string, ...args: (string | number)[]): Promise<void> {
  return commandAs(undefined, yard, name, ...args);
}

async function commandAs(
  password: string | undefined,
  yard: Yard,
  name: string,
  ...args: (string | number)[]
): Promise<void> {
  const { port } = yard.counters;
  const login = password === undefined ? {} : { password };
  const redis = new Redis({ port, ...login, lazyConnect: true, retryStrategy: null });
  redis.on('error', () => undefined);
  try {
    await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

function resets(): Fault {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: 'RST',
    begin: async (yard) => {
      timer = setInterval(() => yard.proxy.reset(), RESET_EVERY_MS);
    },
    end: async () => clearInterval(timer),
  };
}

/** The server is killed and takes long to read its data back. */
function loading(): Fault {
  let restarted: Promise<void> = Promise.resolve();
  return {
    name: 'LOADING',
    begin: async (yard) => {
      await command(yard, 'DEBUG', 'POPULATE', KEYS_TO_LOAD);
      await command(yard, 'SAVE');
      yard.counters.kill('SIGKILL');
      await yard.counters.exited;
      const slowly = ['--key-load-delay', LOAD_DELAY_US, '--loading-process-events-interval-bytes', 1024];
      restarted = yard.restartCounters(slowly.map(String));
    },
    end: async (yard) => {
      await restarted;
      await command(yard, 'FLUSHALL');
      await command(yard, 'SAVE');
    },
  };
}
