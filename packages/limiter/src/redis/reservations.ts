import type { Redis } from 'ioredis';
import { hashText } from '../rules/keys.js';
import { readTimeMs } from '../stores/clocks.js';
import type { Amended, Amendment, ReceiptOrder, StoreReply, Unavailable } from '../stores/decision-store.js';

/** Lists in a cluster, so that an unavailable shard affects only its own. */
const CLUSTER_LISTS = 16;

/** Receipts of reservations by their expiry. */
export const SERVER_LISTS: readonly string[] = ['tg:reservations'];

/** Lists in a cluster, each in a different slot. */
export const SHARDED_LISTS: readonly string[] = Array.from(
  { length: CLUSTER_LISTS },
  (_, i) => `{tg:${i}}:reservations`,
);

/** With the shortest term of a second, reservations of a crashed node are refunded within two seconds. */
const SWEEP_EVERY_MS = 500;

/** Few enough not to delay decisions. */
const SWEEP_BATCH = 32;

/** Longer than any term, so that unused lists expire. */
const LIST_TTL_MS = 25 * 3_600_000;

export interface ReservationsOptions {
  redis: Pick<Redis, 'pexpire' | 'zadd' | 'zcount' | 'zrange' | 'zrem'>;
  lists: readonly string[];
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  serverOf: (list: string) => Pick<Redis, 'time'>;
  nowUs: (key: string) => number;
}

/** A later due time (Unix ms), finished, or unknown. */
type Outcome = { readonly receiptKey: string; readonly next: number | 'over' | 'unknown' };

/**
 * Refunds reservations that were neither settled nor released in time. Every node sweeps those of all nodes; the receipt
 * makes a second refund harmless. A listed reservation may be finished or due later, but is never missing while its units
 * are reserved.
 */
export class Reservations {
  private timer: NodeJS.Timeout | undefined;
  private isSweeping = false;
  private isClosed = false;

  constructor(private readonly options: ReservationsOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  /** Lists a reservation before `charge` makes it, so that a crash in between leaves only a list entry. */
  async reserve(receipt: ReceiptOrder, decide: () => Promise<StoreReply>): Promise<StoreReply> {
    const { redis, nowUs } = this.options;
    const { key, expiresAfterMs } = receipt;
    const list = this.listOf(key);
    // If this fails, so does the reservation, which follows on the same connection. `LT`: a repeated request does not
    // postpone the expiry.
    redis.zadd(list, 'LT', dueMs(nowUs(key), expiresAfterMs), key).catch(ignore);
    redis.pexpire(list, LIST_TTL_MS).catch(ignore);
    const reply = await decide();
    if (!reply.available || reply.replayed || reply.conflict) return reply;
    // Again, with the server's time: a concurrent release of the same id may have removed the entry.
    if (reply.allowed) redis.zadd(list, dueMs(reply.nowUs, expiresAfterMs), key).catch(ignore);
    else redis.zrem(list, key).catch(ignore);
    return reply;
  }

  afterAmend(amendment: Amendment, reply: Amended | Unavailable): void {
    if (!reply.available || (reply.status !== 'applied' && reply.status !== 'done')) return;
    if (!isFinal(amendment)) return;
    this.options.redis.zrem(this.listOf(amendment.receiptKey), amendment.receiptKey).catch(ignore);
  }

  /** Refunds overdue reservations. Never rejects: failed refunds are retried by the next sweep. */
  async sweep(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    await Promise.allSettled(this.options.lists.map((list) => this.sweepList(list)));
    this.isSweeping = false;
  }

  // Starts at a random entry, so that several nodes do not process the same entries.
  private async sweepList(list: string): Promise<void> {
    const { redis, serverOf } = this.options;
    // From the server: a node without decisions has no estimate of its time, and the local clock may be wrong.
    const nowMs = await readTimeMs(serverOf(list));
    const due = await redis.zcount(list, '-inf', nowMs);
    if (due > SWEEP_BATCH) await this.sweepFrom(list, nowMs, Math.floor(Math.random() * due));
    if (due > 0) await this.sweepFrom(list, nowMs, 0);
  }

  private async sweepFrom(list: string, nowMs: number, first: number): Promise<void> {
    const { redis } = this.options;
    // Skips entries that stay overdue, so that an unavailable shard does not block the refunds of others.
    for (let [offset, hasMore] = [first, true]; hasMore && !this.isClosed; ) {
      const due = await redis.zrange(list, '-inf', String(nowMs), 'BYSCORE', 'LIMIT', offset, SWEEP_BATCH);
      const outcomes = await Promise.all(due.map((receiptKey) => this.refund(receiptKey)));
      await this.record(list, outcomes);
      offset += outcomes.filter(({ next }) => next === 'unknown' || Number(next) <= nowMs).length;
      hasMore = due.length === SWEEP_BATCH;
    }
  }

  private async refund(receiptKey: string): Promise<Outcome> {
    const reply = await this.options.amend({ op: 'refundReceipt', receiptKey, reason: 'expired' });
    if (!reply.available) return { receiptKey, next: 'unknown' };
    // Renewed, or not yet due by its own server's time. Without a term, it is not a reservation.
    const isLater = reply.status === 'rejected' && reply.resetAfterUs > 0;
    return { receiptKey, next: isLater ? dueMs(reply.nowUs + reply.resetAfterUs, 0) : 'over' };
  }

  private async record(list: string, outcomes: readonly Outcome[]): Promise<void> {
    const over = outcomes.flatMap(({ receiptKey, next }) => (next === 'over' ? [receiptKey] : []));
    const later = outcomes.flatMap(({ receiptKey, next }) =>
      typeof next === 'number' ? [next, receiptKey] : [],
    );
    const { redis } = this.options;
    await Promise.all([
      over.length > 0 ? redis.zrem(list, ...over) : undefined,
      later.length > 0 ? redis.zadd(list, 'XX', ...later) : undefined,
    ]);
  }

  private listOf(receiptKey: string): string {
    const { lists } = this.options;
    return lists[hashText(receiptKey) % lists.length] as string;
  }
}

function isFinal(amendment: Amendment): amendment is Extract<Amendment, { op: 'refundReceipt' | 'settle' }> {
  if (amendment.op === 'refundReceipt')
    return amendment.reason !== 'success' && amendment.reason !== 'failure';
  return amendment.op === 'settle';
}

function dueMs(nowUs: number, expiresAfterMs: number): number {
  return Math.ceil(nowUs / 1000) + expiresAfterMs;
}

function ignore(): void {}
