import type { Redis } from 'ioredis';
import { QUOTA_CHECKPOINT_SCRIPT } from '../generated/scripts.js';
import { runScript, scriptOf } from '../scripts/script.js';

const script = scriptOf(QUOTA_CHECKPOINT_SCRIPT);

/** What was seen used of a counter. */
export interface QuotaReading {
  readonly used: number;
  /** The counters' time of the reading, microseconds since the Unix epoch. */
  readonly atUs: number;
  /** That of the first reading after something was given back, which those before it must not undo; 0: nothing was. */
  readonly loweredAtUs: number;
}

/**
 * Raises what the hash says of each counter to `used`, where it is less; where something was given back since the reading
 * that it is of, puts `used` in its place. Repeating it, in any order, changes nothing.
 * @returns how many were changed
 */
export async function writeQuotaCheckpoints(
  redis: Redis,
  hash: string,
  forgetAtMs: number,
  counters: readonly (QuotaReading & { readonly key: string })[],
): Promise<number> {
  const values = counters.flatMap(({ key, used, atUs, loweredAtUs }) => [
    key,
    ...[used, atUs, loweredAtUs].map((number) => number.toFixed(0)),
  ]);
  const reply = await runScript(redis, script, [hash], [forgetAtMs.toFixed(0), ...values]);
  if (typeof reply !== 'number') throw new Error(`quota-checkpoint: unexpected reply ${String(reply)}`);
  return reply;
}

/** How long after its period a checkpoint is kept: clocks differ. */
const KEEP_AFTER_PERIOD_MS = 86_400_000;

/** Counters written by one script run: it holds up nobody else for long. */
const CHUNK = 500;

/** A quota counter in one of its periods. */
export interface QuotaCounter {
  readonly tenant: string;
  readonly key: string;
  /** Unix ms; tells the counter's periods apart. */
  readonly periodEndMs: number;
}

/** What was seen used of it. */
export interface QuotaCheckpoint extends QuotaCounter, QuotaReading {}

/** Says when, and by whom, checkpoints were put back into a store that had lost them. */
const PUT_BACK_KEY = 'tg:quota:put-back';

/** Hashes looked for, and counters read of one, at a time. */
const SCAN_COUNT = 500;

const HASH_KEY = /^tg:quota:([^:]+):(\d+)$/;
const READING = /^(\d+) (\d+) (\d+)$/;

const hashKey = ({ tenant, periodEndMs }: QuotaCounter) => `tg:quota:${tenant}:${periodEndMs}`;

/** Quota checkpoints in the Redis that holds policy: one hash a tenant and period, forgotten a day after the period. */
export class QuotaStore {
  constructor(private readonly redis: Redis) {}

  /** Writes readings; one that is higher already stays, but where something was given back since. Repeating it changes nothing. */
  async write(checkpoints: readonly QuotaCheckpoint[]): Promise<void> {
    const hashes = Map.groupBy(checkpoints, hashKey);
    const runs: Promise<number>[] = [];
    for (const [hash, counters] of hashes) {
      const forgetAtMs = (counters[0]?.periodEndMs ?? 0) + KEEP_AFTER_PERIOD_MS;
      for (let i = 0; i < counters.length; i += CHUNK) {
        runs.push(writeQuotaCheckpoints(this.redis, hash, forgetAtMs, counters.slice(i, i + CHUNK)));
      }
    }
    await Promise.all(runs);
  }

  /** The last usage seen; all 0: nothing is known. */
  async read(counter: QuotaCounter): Promise<QuotaReading> {
    const text = (await this.redis.hget(hashKey(counter), counter.key)) ?? '';
    const [, used = 0, atUs = 0, loweredAtUs = 0] = (READING.exec(text) ?? []).map(Number);
    return { used, atUs, loweredAtUs };
  }

  /** What {@link markPutBack} said last; null: nothing since the store was empty. */
  readPutBack(): Promise<string | null> {
    return this.redis.get(PUT_BACK_KEY);
  }

  /** Tells nodes that the store knows again what it knew: they look up anew what they have found missing. */
  async markPutBack(mark: string): Promise<void> {
    await this.redis.set(PUT_BACK_KEY, mark);
  }

  /** All that is kept, some at a time. What is written meanwhile may be missing, or come twice. */
  async *list(): AsyncGenerator<QuotaCheckpoint[]> {
    let cursor = '0';
    do {
      const [next, hashes] = await this.redis.scan(cursor, 'MATCH', 'tg:quota:*:*', 'COUNT', SCAN_COUNT);
      cursor = next;
      for (const hash of hashes) yield* this.listOf(hash);
    } while (cursor !== '0');
  }

  private async *listOf(hash: string): AsyncGenerator<QuotaCheckpoint[]> {
    const [, tenant, end] = HASH_KEY.exec(hash) ?? [];
    if (tenant === undefined || end === undefined) return;
    let cursor = '0';
    do {
      const [next, fields] = await this.redis.hscan(hash, cursor, 'COUNT', SCAN_COUNT);
      cursor = next;
      const checkpoints: QuotaCheckpoint[] = [];
      for (let i = 0; i + 1 < fields.length; i += 2) {
        const reading = READING.exec(fields[i + 1] ?? '')
          ?.slice(1)
          .map(Number);
        if (reading === undefined) continue;
        const [used = 0, atUs = 0, loweredAtUs = 0] = reading;
        checkpoints.push({ tenant, key: fields[i] ?? '', periodEndMs: Number(end), used, atUs, loweredAtUs });
      }
      if (checkpoints.length > 0) yield checkpoints;
    } while (cursor !== '0');
  }
}
