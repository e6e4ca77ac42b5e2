import { type NodeReport, nodeReportSchema } from '@tollgate/contracts';
import { runScript, scriptOf } from '@tollgate/limiter/stores';
import type { Redis } from 'ioredis';
import { READ_NODE_REPORTS_SCRIPT, WRITE_NODE_REPORT_SCRIPT } from '../generated/scripts.js';
import { listen, readJson } from './config-redis.js';

const NODES_KEY = 'tg:nodes';
/** Nodes that shut down in order, with the time. */
const LEFT_NODES_KEY = 'tg:nodes:left';
const NODES_CHANNEL = 'tg:nodes:changes';

/** A node that has not reported for this long is removed. */
const REPORT_MAX_AGE_MS = 60_000;

export const STALE_AFTER_MS = 15_000;

export function isStale({ seenAtMs }: NodeReport, nowMs: number): boolean {
  return nowMs - seenAtMs > STALE_AFTER_MS;
}

const writeScript = scriptOf(WRITE_NODE_REPORT_SCRIPT);
const readScript = scriptOf(READ_NODE_REPORTS_SCRIPT);

/** Sets `seenAtMs` to the server's time, because node clocks may be wrong. @returns it, microseconds since the Unix epoch */
export async function writeNodeReport(redis: Redis, { seenAtMs: _, ...report }: NodeReport): Promise<number> {
  const args = [report.nodeId, JSON.stringify(report), NODES_CHANNEL];
  const reply = await runScript(redis, writeScript, [NODES_KEY], args);
  const nowUs = Number(String(reply));
  if (!Number.isSafeInteger(nowUs)) throw new Error(`write-node-report: unexpected reply ${String(reply)}`);
  return nowUs;
}

export async function withdrawNode(redis: Redis, nodeId: string): Promise<void> {
  await redis
    .pipeline()
    .hdel(NODES_KEY, nodeId)
    .hset(LEFT_NODES_KEY, nodeId, Date.now())
    .publish(NODES_CHANNEL, nodeId)
    .exec();
}

export async function takeLeftNodes(redis: Redis): Promise<string[]> {
  const nodeIds = await redis.hkeys(LEFT_NODES_KEY);
  if (nodeIds.length > 0) await redis.hdel(LEFT_NODES_KEY, ...nodeIds);
  return nodeIds;
}

/** Reports of the last minute by the server's time, sorted by node id; deletes older and invalid ones. */
export async function readNodeReports(redis: Redis): Promise<NodeReport[]> {
  const reply = await runScript(redis, readScript, [NODES_KEY], [REPORT_MAX_AGE_MS.toFixed(0)]);
  if (!Array.isArray(reply)) throw new Error('read-node-reports: the reply is not an array');
  const reports: NodeReport[] = [];
  for (let i = 0; i < reply.length; i += 2) {
    const report = readJson(nodeReportSchema, String(reply[i + 1]));
    if (report === undefined) await redis.hdel(NODES_KEY, String(reply[i]));
    else reports.push(report);
  }
  return reports.sort((a, b) => a.nodeId.localeCompare(b.nodeId));
}

export function listenToNodes(redis: Redis, onChange: () => void): () => void {
  return listen(redis, NODES_CHANNEL, onChange, onChange);
}
