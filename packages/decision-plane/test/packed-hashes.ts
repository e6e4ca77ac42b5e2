import type { Redis } from 'ioredis';
import { packedWindow, type WindowState } from '../src/algorithms/fixed-window.js';
import { addressOf } from '../src/store/keys.js';
import type { Lineage } from './lineage.js';

/** Stored text of a counter that is a key or a field of a hash; null: none. */
export function storedText(redis: Redis, name: string): Promise<Buffer | null> {
  const { key, field } = addressOf(name);
  return field === undefined ? redis.getBuffer(key) : redis.hgetBuffer(key, field);
}

/**
 * Stored texts of counters at one instant. Also removes the expiry of those that are keys: some last a second, and a busy machine
 * can take longer between two steps of a test that sets the clock.
 */
export async function storedTexts(redis: Redis, names: readonly string[]): Promise<(Buffer | null)[]> {
  const addresses = names.map(addressOf);
  const commands = redis.multi();
  for (const { key, field } of addresses) {
    if (field === undefined) commands.getBuffer(key);
    else commands.hgetBuffer(key, field);
  }
  for (const { key, field } of addresses) if (field === undefined) commands.persist(key);
  const replies = (await commands.exec()) ?? [];
  return replies.slice(0, names.length).map(([error, text]) => {
    if (error !== null) throw error;
    return text as Buffer | null;
  });
}

/** More than a busy machine takes for the commands between two moves of the clock. */
const SPARE_MS = 1000;

/**
 * Hashes of counters in a test that sets the clock: their remaining time follows that clock, except when it steps back, and not
 * the time that the test takes.
 */
export class TimedHashes {
  private lastMs: number;
  /** Remaining times, ms. */
  private readonly leftMs = new Map<string, number>();
  private setAtMs = performance.now();

  constructor(
    private readonly redis: Redis,
    private readonly keys: readonly string[],
    nowUs: number,
  ) {
    this.lastMs = nowUs / 1000;
  }

  /**
   * Moves the clock to `nowUs`, and beyond hashes that would expire soon after it.
   * @returns the time of the clock
   */
  async advance(nowUs: number): Promise<number> {
    await this.read();
    const passedMs = Math.max(0, Math.floor(nowUs / 1000 - this.lastMs));
    this.pass(passedMs);
    let beyondMs = 0;
    for (;;) {
      const soonMs = [...this.leftMs.values()].filter((leftMs) => leftMs > 0 && leftMs < SPARE_MS);
      if (soonMs.length === 0) break;
      const untilMs = Math.max(...soonMs);
      this.pass(untilMs);
      beyondMs += untilMs;
    }
    this.setAtMs = performance.now();
    for (const [key, leftMs] of this.leftMs) await this.redis.pexpire(key, leftMs);
    return nowUs + beyondMs * 1000;
  }

  private pass(ms: number): void {
    this.lastMs += ms;
    for (const [key, leftMs] of this.leftMs) this.leftMs.set(key, leftMs - ms);
  }

  private async read(): Promise<void> {
    for (const key of this.keys) {
      const leftMs = await this.redis.pttl(key);
      const setMs = this.leftMs.get(key);
      const tookMs = performance.now() - this.setAtMs;
      if (leftMs < 0) this.leftMs.delete(key);
      // Only a script changes it by more than the time since.
      else if (setMs === undefined || leftMs > setMs || leftMs < setMs - tookMs - 1)
        this.leftMs.set(key, leftMs);
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
