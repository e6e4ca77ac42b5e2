import { type UsageFrame, usageFrameSchema } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import { readJson } from './json-record.js';

const USAGE_STREAM = 'tg:usage';

/** About this many frames are kept for readers that were away: 100 nodes for ten minutes. */
const MAX_FRAMES = 60_000;

/** Appends a node's frame to the usage stream. */
export async function writeUsageFrame(redis: Redis, frame: UsageFrame): Promise<void> {
  await redis.xadd(USAGE_STREAM, 'MAXLEN', '~', MAX_FRAMES, '*', 'frame', JSON.stringify(frame));
}

/**
 * Frames after `lastId` (`$`: only new ones; `0`: all that are kept), waiting up to `blockMs` for one. Needs a
 * connection of its own: it blocks. A frame that cannot be read is passed over.
 */
export async function readUsageFrames(
  redis: Redis,
  lastId: string,
  blockMs: number,
): Promise<{ lastId: string; frames: UsageFrame[] }> {
  const reply = await redis.xread('COUNT', 1000, 'BLOCK', blockMs, 'STREAMS', USAGE_STREAM, lastId);
  const entries = reply?.[0]?.[1] ?? [];
  const frames = entries.flatMap(([, fields]) => {
    const frame = readJson(usageFrameSchema, fields[1]);
    return frame === undefined ? [] : [frame];
  });
  return { lastId: entries.at(-1)?.[0] ?? lastId, frames };
}
