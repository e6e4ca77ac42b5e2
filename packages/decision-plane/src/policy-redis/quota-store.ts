import { groupBy } from '@tollgate/contracts/older-node';
import { runScript, scriptOf } from '@tollgate/limiter/stores';
import type { Redis } from 'ioredis';
import { QUOTA_CHECKPOINT_SCRIPT } from '../generated/scripts.js';

const script = scriptOf(QUOTA_CHECKPOINT_SCRIPT);

export interface QuotaReading {
  readonly used: number;
  /** Counter time of the reading, microseconds since the Unix epoch. */
  readonly atUs: number;
  /** Time of the first reading after the last refund, which earlier readings must not override; 0: no refund. */
  readonly loweredAtUs: number;
}

/** Retention of a checkpoint after its period, because clocks differ. */
const KEEP_AFTER_PERIOD_MS = 86_400_000;

const CHUNK = 500;

export interface QuotaCounter {
  readonly tenant: string;
  readonly key: string;
  /** Unix ms; identifies the period. */
  readonly periodEndMs: number;
}

export interface QuotaCheckpoint extends QuotaCounter, QuotaReading {}

export interface StoredUsage {
  readonly reading: QuotaReading;
  /** Null: the store was emptied and its checkpoints are not restored yet. */
  readonly restoreMark: string | null;
}

/** When and by which node checkpoints were last restored into an emptied store. */
const RESTORE_MARK_KEY = 'tg:quota:restored';

const SCAN_COUNT = 500;
const HASH_KEY = /^tg:quota:([^:]+):(\d+)$/;
const READING = /^(\d+) (\d+) (\d+)$/;

export const NO_READING: QuotaReading = { used: 0, atUs: 0, loweredAtUs: 0 };

function readingOf(text: string | null | undefined): QuotaReading | undefined {
  const numbers = READING.exec(text ?? '')
    ?.slice(1)
    .map(Number);
  if (numbers === undefined) return undefined;
  const [used = 0, atUs = 0, loweredAtUs = 0] = numbers;
  return { used, atUs, loweredAtUs };
}

const hashKey = ({ tenant, periodEndMs }: QuotaCounter) => `tg:quota:${tenant}:${periodEndMs}`;

/** Quota checkpoints in the policy Redis: one hash per tenant and period, deleted a day after the period. */
export class QuotaStore {
  constructor(private readonly redis: Redis) {}

  /** Writes readings; a higher stored one is kept, unless there was a refund since. Idempotent. */
  async write(checkpoints: readonly QuotaCheckpoint[]): Promise<void> {
    const hashes = groupBy(checkpoints, hashKey);
    const runs: Promise<unknown>[] = [];
    for (const [hash, counters] of hashes) {
      const expiresAtMs = (counters[0]?.periodEndMs ?? 0) + KEEP_AFTER_PERIOD_MS;
      for (let i = 0; i < counters.length; i += CHUNK) {
        const values = counters
          .slice(i, i + CHUNK)
          .flatMap(({ key, used, atUs, loweredAtUs }) => [
            key,
            ...[used, atUs, loweredAtUs].map((number) => number.toFixed(0)),
          ]);
        runs.push(runScript(this.redis, script, [hash], [expiresAtMs.toFixed(0), ...values]));
      }
    }
    const replies = await Promise.all(runs);
    if (replies.some((reply) => typeof reply !== 'number')) {
      throw new Error(`The quota checkpoint script replied ${JSON.stringify(replies)}`);
    }
  }

  async read(counter: QuotaCounter): Promise<StoredUsage> {
    // In this order: a mark that is read first proves that a missing checkpoint was not lost.
    const mark = this.readRestoreMark();
    const text = await this.redis.hget(hashKey(counter), counter.key);
    return { reading: readingOf(text) ?? NO_READING, restoreMark: await mark };
  }

  readRestoreMark(): Promise<string | null> {
    return this.redis.get(RESTORE_MARK_KEY);
  }

  /** Notifies nodes that lost checkpoints were restored, so that they read missing ones again. */
  async markRestored(mark: string): Promise<void> {
    await this.redis.set(RESTORE_MARK_KEY, mark);
  }

  /** All checkpoints, in pages. Checkpoints written meanwhile may be missing or occur twice. */
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
        const reading = readingOf(fields[i + 1]);
        if (reading === undefined) continue;
        checkpoints.push({ tenant, key: fields[i] ?? '', periodEndMs: Number(end), ...reading });
      }
      if (checkpoints.length > 0) yield checkpoints;
    } while (cursor !== '0');
  }
}
