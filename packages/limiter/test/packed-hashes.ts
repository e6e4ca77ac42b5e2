import type { Redis } from 'ioredis';
import { packedWindow, type WindowState } from '../src/algorithms/fixed-window.js';
import { addressOf } from '../src/rules/keys.js';
import type { Lineage } from './lineage.js';

/** Stored texts of counters that are keys or fields of hashes; null: none. */
export async function storedTexts(redis: Redis, names: readonly string[]): Promise<(Buffer | null)[]> {
  const commands = redis.pipeline();
  for (const { key, field } of names.map(addressOf)) {
    if (field === undefined) commands.getBuffer(key);
    else commands.hgetBuffer(key, field);
  }
  const replies = (await commands.exec()) ?? [];
  return replies.map(([error, text]) => {
    if (error !== null) throw error;
    return text as Buffer | null;
  });
}

/**
 * Whether a packed counter was over when it was deleted: a window ago, of the longest that the policy knows, by a sweep; half a window ago,
 * of the shortest that a node may have written, by the expiry of its hash.
 */
export function wasOver(
  state: WindowState | undefined,
  { current, stale }: Lineage,
  nowUs: number,
  by: 'sweep' | 'expiry',
): boolean {
  if (state === undefined) return true;
  const policies = [current, stale];
  const longestMs = policies.map(({ horizonMs, carries }) =>
    Math.max(horizonMs, ...carries.map(({ policy }) => policy.horizonMs)),
  );
  const writtenMs = policies.flatMap(({ horizonMs, carries }) => [
    horizonMs,
    ...carries.map(({ policy }) => policy.horizonMs),
  ]);
  const keptMs = by === 'expiry' ? 1.5 * Math.min(...writtenMs) : 2 * Math.min(...longestMs);
  return state.startMs + keptMs <= nowUs / 1000;
}

export function packedState(text: Buffer | null): WindowState | undefined {
  return text === null ? undefined : packedWindow.decode(text.toString('latin1').slice(0, -3));
}
