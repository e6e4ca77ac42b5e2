import type { Redis } from 'ioredis';
import { packedWindow, type WindowState } from '../src/algorithms/fixed-window.js';
import { addressOf } from '../src/store/keys.js';
import type { Lineage } from './lineage.js';

/** Stored text of a counter that is a key or a field of a hash; null: none. */
export function storedText(redis: Redis, name: string): Promise<Buffer | null> {
  const { key, field } = addressOf(name);
  return field === undefined ? redis.getBuffer(key) : redis.hgetBuffer(key, field);
}

/** Hashes of packed counters of a tenant whose clock a test sets: their remaining time follows that clock, except when it steps back. */
export class TimedHashes {
  private lastMs: number;

  constructor(
    private readonly redis: Redis,
    private readonly keys: readonly string[],
    nowUs: number,
  ) {
    this.lastMs = nowUs / 1000;
  }

  async advance(nowUs: number): Promise<void> {
    const passedMs = Math.floor(nowUs / 1000 - this.lastMs);
    if (passedMs <= 0) return;
    this.lastMs += passedMs;
    for (const key of this.keys) {
      const leftMs = await this.redis.pttl(key);
      if (leftMs >= 0) await this.redis.pexpire(key, leftMs - passedMs);
    }
  }
}

/**
 * Whether a packed counter that a hash does not have any more was over: half a window ago, of the shortest that a node may have written, if
 * the hash has expired, else a window of the longest that the policy knows.
 */
export function wasOver(
  state: WindowState | undefined,
  { current, stale }: Lineage,
  nowUs: number,
  hasExpired: boolean,
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
  const keptMs = hasExpired ? 1.5 * Math.min(...writtenMs) : 2 * Math.min(...longestMs);
  return state.startMs + keptMs <= nowUs / 1000;
}

export function packedState(text: Buffer | null): WindowState | undefined {
  return text === null ? undefined : packedWindow.decode(text.toString('latin1').slice(0, -3));
}
