import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../decision-api/dist/main.js', import.meta.url));

/** The built decision API in a separate process. */
export interface RunningApi {
  readonly origin: string;
  kill(): Promise<void>;
}

/** @throws Error if it exits instead of listening */
export async function startDecisionApi(options: {
  dataDir: string;
  redisUrl: string;
  publicKey: string;
}): Promise<RunningApi> {
  const child = spawn(process.execPath, ['--no-warnings', MAIN], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      NODE_ID: 'node-1',
      REDIS_COUNTERS_URL: options.redisUrl,
      REDIS_CONFIG_URL: options.redisUrl,
      POLICY_PUBLIC_KEYS: options.publicKey,
      TOKEN_PEPPER: 'a pepper of no use to anybody, long enough',
      DATA_DIR: options.dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { origin: `http://127.0.0.1:${await portOf(child)}`, kill: () => end(child) };
}

async function portOf(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('its output is not read');
  for await (const line of createInterface(child.stdout)) {
    const { msg, port } = JSON.parse(line) as { msg: string; port?: number };
    if (msg === 'decision API listening' && port !== undefined) {
      // Ignores all later output.
      child.stdout.resume();
      return port;
    }
  }
  throw new Error('the decision API ended before it listened');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
