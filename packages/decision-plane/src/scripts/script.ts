import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Text of a Lua script and its SHA-1. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * Runs a script by its hash; sends the text if the server does not know it (first run, SCRIPT FLUSH, failover).
 * @returns the raw reply, strings as buffers
 */
export async function runScript(
  redis: Redis,
  script: Script,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<unknown> {
  try {
    return await redis.callBuffer('EVALSHA', script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await redis.callBuffer('EVAL', script.text, keys.length, ...keys, ...args);
  }
}
