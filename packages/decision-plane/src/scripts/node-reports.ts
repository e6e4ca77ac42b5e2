import type { Redis } from 'ioredis';
import { NODE_REPORTS_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(NODE_REPORTS_SCRIPT);

/** Reports younger than `maxAgeMs` by the server's time, with their node ids; deletes the others. */
export async function readLiveReports(
  redis: Redis,
  key: string,
  maxAgeMs: number,
): Promise<{ nodeId: string; text: string }[]> {
  const reply = await runScript(redis, script, [key], [maxAgeMs.toFixed(0)]);
  if (!Array.isArray(reply)) throw new Error('node-reports: the reply is not an array');
  return Array.from({ length: reply.length / 2 }, (_, i) => ({
    nodeId: String(reply[2 * i]),
    text: String(reply[2 * i + 1]),
  }));
}
