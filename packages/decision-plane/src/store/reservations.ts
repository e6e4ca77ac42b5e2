import type { Redis } from 'ioredis';
import type { Amended, Amendment, ReceiptOrder, StoreReply, Unavailable } from './decision-store.js';
import { hashText } from './keys.js';

/** Lists of reservations over a cluster: with one shard away, the others' are still taken note of. */
const CLUSTER_LISTS = 16;

/** Where one server keeps receipts of what is held for a while, by the time at which it comes back. */
export const SERVER_LISTS: readonly string[] = ['tg:reservations'];

/** Where a cluster keeps them, each list in a slot of its own. */
export const SHARDED_LISTS: readonly string[] = Array.from(
  { length: CLUSTER_LISTS },
  (_, i) => `{tg:${i}}:reservations`,
);

/** With the shortest term of a second, what a crash leaves behind is gone after two. */
const SWEEP_EVERY_MS = 500;

/** Given back at a time, so that what a crash left is soon gone and decisions do not wait behind all of it. */
const SWEPT_AT_ONCE = 32;

/** Longer than any term: a list that nobody adds to is forgotten. */
const LIST_TTL_MS = 25 * 3_600_000;

export interface ReservationsOptions {
  redis: Pick<Redis, 'pexpire' | 'zadd' | 'zcount' | 'zrange' | 'zrem'>;
  /** {@link SERVER_LISTS} or {@link SHARDED_LISTS}. */
  lists: readonly string[];
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  /** The server that holds a list. @throws Error when none is known */
  serverOf: (list: string) => Pick<Redis, 'time'>;
  /** The time of the server that holds a key as far as it is known, microseconds since the Unix epoch. */
  nowUs: (key: string) => number;
}

/** What became of something due: to be looked at again at a time (unix ms), over, or not known. */
type Swept = { readonly receiptKey: string; readonly becomes: number | 'over' | 'unknown' };

/**
 * Gives back what was reserved and neither settled nor released in time, whoever reserved it: every node looks for what is
 * due. That two of them find it does no harm, as the receipt says what became of it.
 *
 * What is listed may be over already, or due later than it says; it is never due earlier, and never missing while it is held.
 */
export class Reservations {
  private timer: NodeJS.Timeout | undefined;
  private isSweeping = false;
  private isClosed = false;

  constructor(private readonly options: ReservationsOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS);
    this.timer.unref();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  /** Takes note of a reservation before it is made, which `decide` does: what crashes in between finds nothing to give back. */
  async reserve(receipt: ReceiptOrder, decide: () => Promise<StoreReply>): Promise<StoreReply> {
    const { redis, nowUs } = this.options;
    const { key, expiresAfterMs } = receipt;
    const list = this.listOf(key);
    // Where this fails, the reservation itself, which travels right behind it, fails too. A repetition moves nothing on.
    redis.zadd(list, 'LT', dueMs(nowUs(key), expiresAfterMs), key).catch(ignore);
    redis.pexpire(list, LIST_TTL_MS).catch(ignore);
    const reply = await decide();
    if (!reply.available || reply.replayed || reply.conflict) return reply;
    // Once more, by the server's own time: whoever released the same id just before may have removed it.
    if (reply.allowed) redis.zadd(list, dueMs(reply.nowUs, expiresAfterMs), key).catch(ignore);
    else redis.zrem(list, key).catch(ignore);
    return reply;
  }

  /** Takes note of a change: what is settled or given back is not looked for any more. */
  amended(amendment: Amendment, reply: Amended | Unavailable): void {
    if (!reply.available || (reply.status !== 'applied' && reply.status !== 'done')) return;
    if (!isFinal(amendment)) return;
    this.options.redis.zrem(this.listOf(amendment.receiptKey), amendment.receiptKey).catch(ignore);
  }

  /** Gives back what is due. Never rejects: what could not be done is due the next time. */
  async sweep(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    await Promise.allSettled(this.options.lists.map((list) => this.sweepList(list)));
    this.isSweeping = false;
  }

  // From somewhere in the middle, so that several nodes do not all begin with the same ones.
  private async sweepList(list: string): Promise<void> {
    const { redis, serverOf } = this.options;
    // Asked for, as a node that decides nothing does not hear it otherwise, and its own clock may be wrong.
    const [seconds, microseconds] = await serverOf(list).time();
    const nowMs = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    const due = await redis.zcount(list, '-inf', nowMs);
    if (due > SWEPT_AT_ONCE) await this.sweepFrom(list, nowMs, Math.floor(Math.random() * due));
    if (due > 0) await this.sweepFrom(list, nowMs, 0);
  }

  private async sweepFrom(list: string, nowMs: number, first: number): Promise<void> {
    const { redis } = this.options;
    // What stays due keeps its place: one shard that is away does not hold up what is held in the others.
    for (let [place, mayBeMore] = [first, true]; mayBeMore && !this.isClosed; ) {
      const due = await redis.zrange(list, '-inf', String(nowMs), 'BYSCORE', 'LIMIT', place, SWEPT_AT_ONCE);
      const swept = await Promise.all(due.map((receiptKey) => this.giveBack(receiptKey)));
      await this.note(list, swept);
      place += swept.filter(({ becomes }) => becomes === 'unknown' || Number(becomes) <= nowMs).length;
      mayBeMore = due.length === SWEPT_AT_ONCE;
    }
  }

  private async giveBack(receiptKey: string): Promise<Swept> {
    const reply = await this.options.amend({ op: 'return', receiptKey, which: 'expired' });
    if (!reply.available) return { receiptKey, becomes: 'unknown' };
    // Renewed, or not due yet by the time of its own server. Without a term it is no reservation.
    const isLater = reply.status === 'rejected' && reply.resetAfterUs > 0;
    return { receiptKey, becomes: isLater ? dueMs(reply.nowUs + reply.resetAfterUs, 0) : 'over' };
  }

  private async note(list: string, swept: readonly Swept[]): Promise<void> {
    const over = swept.flatMap(({ receiptKey, becomes }) => (becomes === 'over' ? [receiptKey] : []));
    const later = swept.flatMap(({ receiptKey, becomes }) =>
      typeof becomes === 'number' ? [becomes, receiptKey] : [],
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

/** Whether nothing of a reservation is held any more after this. */
function isFinal(amendment: Amendment): amendment is Extract<Amendment, { op: 'return' | 'settle' }> {
  if (amendment.op === 'return') return amendment.which !== 'success' && amendment.which !== 'failure';
  return amendment.op === 'settle';
}

/** Unix ms, when what is charged at `nowUs` for so long is due. */
function dueMs(nowUs: number, expiresAfterMs: number): number {
  return Math.ceil(nowUs / 1000) + expiresAfterMs;
}

function ignore(): void {}
