import { Redis } from 'ioredis';
import type { Testbed } from './testbed.ts';

/** A fault that makes the counter Redis unavailable. */
export interface Fault {
  readonly name: string;
  /** Additional options of redis-server. */
  readonly redisArgs?: readonly string[];
  begin(testbed: Testbed): Promise<void>;
  end(testbed: Testbed): Promise<void>;
}

const ALL_SLOTS = [0, 16_383] as const;

/** Enough that loading takes seconds after a restart. */
const KEYS_TO_LOAD = 3000;
const LOAD_DELAY_US = 1000;

const PASSWORD = 'changed';

/** Interval of connection resets. */
const RESET_EVERY_MS = 20;

/** Ten faults, on one server behind the testbed's shared proxy. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill',
    begin: async (testbed) => {
      testbed.counters.kill('SIGKILL');
      await testbed.counters.exited;
    },
    end: (testbed) => testbed.restartCounters(),
  },
  {
    name: 'freeze',
    begin: async (testbed) => testbed.counters.kill('SIGSTOP'),
    end: async (testbed) => testbed.counters.kill('SIGCONT'),
  },
  {
    name: 'black hole',
    begin: async (testbed) => testbed.proxy.freeze(),
    end: async (testbed) => testbed.proxy.thaw(),
  },
  resets(),
  {
    name: '+500 ms',
    begin: async (testbed) => testbed.proxy.setLatencyMs(500),
    end: async (testbed) => testbed.proxy.setLatencyMs(0),
  },
  loading(),
  {
    name: 'READONLY',
    // A replica without a master: it serves its data and accepts no writes.
    begin: (testbed) => command(testbed, 'REPLICAOF', '127.0.0.1', '1'),
    end: (testbed) => command(testbed, 'REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'OOM',
    begin: (testbed) => command(testbed, 'CONFIG', 'SET', 'maxmemory', '1'),
    end: (testbed) => command(testbed, 'CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    name: 'wrong password',
    begin: async (testbed) => {
      await command(testbed, 'CONFIG', 'SET', 'requirepass', PASSWORD);
      await commandAs(PASSWORD, testbed, 'CLIENT', 'KILL', 'TYPE', 'normal');
    },
    end: (testbed) => commandAs(PASSWORD, testbed, 'CONFIG', 'SET', 'requirepass', ''),
  },
  {
    name: 'CLUSTERDOWN',
    // A cluster of one node that has lost its slots.
    redisArgs: ['--cluster-enabled', 'yes'],
    begin: (testbed) => command(testbed, 'CLUSTER', 'DELSLOTSRANGE', ...ALL_SLOTS),
    end: (testbed) => command(testbed, 'CLUSTER', 'ADDSLOTSRANGE', ...ALL_SLOTS),
  },
];

/** Sends a command to the counter server directly, without the proxy. */
export function command(testbed: Testbed, name: string, ...args: (string | number)[]): Promise<void> {
  return commandAs(undefined, testbed, name, ...args);
}

async function commandAs(
  password: string | undefined,
  testbed: Testbed,
  name: string,
  ...args: (string | number)[]
): Promise<void> {
  const { port } = testbed.counters;
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
    begin: async (testbed) => {
      timer = setInterval(() => testbed.proxy.reset(), RESET_EVERY_MS);
    },
    end: async () => clearInterval(timer),
  };
}

/** The server is killed and takes long to load its data. */
function loading(): Fault {
  let restarted: Promise<void> = Promise.resolve();
  return {
    name: 'LOADING',
    begin: async (testbed) => {
      await command(testbed, 'DEBUG', 'POPULATE', KEYS_TO_LOAD);
      await command(testbed, 'SAVE');
      testbed.counters.kill('SIGKILL');
      await testbed.counters.exited;
      const slowly = ['--key-load-delay', LOAD_DELAY_US, '--loading-process-events-interval-bytes', 1024];
      restarted = testbed.restartCounters(slowly.map(String));
    },
    end: async (testbed) => {
      await restarted;
      await command(testbed, 'FLUSHALL');
      await command(testbed, 'SAVE');
    },
  };
}
