import type { Redis } from 'ioredis';
import { NODE_REPORT_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(NODE_REPORT_SCRIPT);

/**
 * Stores a node's report, stamped with the server's time as `seenAtMs`, and announces it on `channel`.
 * @param report JSON object without `seenAtMs`
 * @returns the server's time, microseconds since the Unix epoch
 */
export async function storeNodeReport(
  redis: Redis,
  key: string,
  nodeId: string,
  report: string,
  channel: string,
): Promise<number> {
  const reply = await runScript(redis, script, [key], [nodeId, report, channel]);
  const nowUs = Number(String(reply));
  if (!Number.isSafeInteger(nowUs)) throw new Error(`node-report: unexpected reply ${String(reply)}`);
  return nowUs;
}
