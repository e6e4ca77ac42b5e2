import { type NodeReport, nodeReportSchema } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { storeNodeReport } from '../scripts/node-report.js';
import { readLiveReports } from '../scripts/node-reports.js';
import { readJson } from './json-record.js';
import { NODE_NEWS, NODES_KEY, NODES_LEFT_KEY } from './policy-names.js';

/** A node that has not reported for this long is forgotten. */
const FORGET_NODE_AFTER_MS = 60_000;

/**
 * Stores a node's report and announces it. `seenAtMs` becomes the server's time: clocks of nodes may be wrong.
 * @returns the server's time, microseconds since the Unix epoch
 */
export function writeNodeReport(redis: Redis, { seenAtMs: _, ...report }: NodeReport): Promise<number> {
  return storeNodeReport(redis, NODES_KEY, report.nodeId, JSON.stringify(report), NODE_NEWS);
}

/** The node stops, and is not to be missed. */
export async function withdrawNode(redis: Redis, nodeId: string): Promise<void> {
  await redis
    .pipeline()
    .hdel(NODES_KEY, nodeId)
    .hset(NODES_LEFT_KEY, nodeId, Date.now())
    .publish(NODE_NEWS, nodeId)
    .exec();
}

/** Ids of nodes that stopped in order since this was last asked. */
export async function takeLeftNodes(redis: Redis): Promise<string[]> {
  const nodeIds = await redis.hkeys(NODES_LEFT_KEY);
  if (nodeIds.length > 0) await redis.hdel(NODES_LEFT_KEY, ...nodeIds);
  return nodeIds;
}

/** The nodes that reported within the last minute of the server's time, by id; deletes other reports. */
export async function readNodeReports(redis: Redis): Promise<NodeReport[]> {
  const reports: NodeReport[] = [];
  for (const { nodeId, text } of await readLiveReports(redis, NODES_KEY, FORGET_NODE_AFTER_MS)) {
    const report = readJson(nodeReportSchema, text);
    if (report === undefined) await redis.hdel(NODES_KEY, nodeId);
    else reports.push(report);
  }
  return reports.sort((a, b) => a.nodeId.localeCompare(b.nodeId));
}

/** Calls `onNews` whenever a node reports, on a connection of its own. Returns what ends it. */
export function listenToNodes(redis: Redis, onNews: () => void): () => void {
  return listen(redis, NODE_NEWS, onNews, onNews);
}

/**
 * Calls `onMessage` for each message, and `onSubscribed` each time that the connection, one of its own, begins to listen:
 * what was said before was not heard. Returns what ends it.
 */
export function listen(
  redis: Redis,
  channel: string,
  onMessage: (message: string) => void,
  onSubscribed: () => void,
): () => void {
  const subscriber = redis.duplicate({ autoResubscribe: false });
  subscriber.on('error', () => undefined);
  subscriber.on('ready', () => {
    // A connection that ends meanwhile comes back, and is ready again.
    subscriber.subscribe(channel).then(onSubscribed, () => undefined);
  });
  subscriber.on('message', (_channel, message) => onMessage(message));
  return () => subscriber.disconnect();
}
