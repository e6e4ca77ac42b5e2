import type { Cluster, Redis } from 'ioredis';
import type { Amended, Amendment, Unavailable } from '../decision-store.js';
import { tagOf } from './slots.js';
import type { PartNotes } from './split-decision.js';

/** The hash tags under which parts are noted. */
const TAGS_KEY = 'tg:part-tags';

/** Receipts of parts whose request may not have been charged, by the time (unix ms) at which they are given back. */
const notesKey = (tag: string) => `${tag}:parts`;

const KEEP_WITHIN_MS = 1000;

/** With {@link KEEP_WITHIN_MS}, what a crash leaves behind is gone after two seconds. */
const SWEEP_EVERY_MS = 500;

/** Given back at a time: decisions must not wait behind all of it. */
const SWEPT_AT_ONCE = 32;

const RETRY_AFTER_MS = 50;

export interface ClusterPartNotesOptions {
  /** Follows redirects; sends to a slot's master on the connection that decisions take. */
  cluster: Cluster;
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  /** The connection to the master of a key's slot; undefined when there is none now. */
  connectionOf: (key: string) => Redis | undefined;
  /** The time of that master, microseconds since the Unix epoch. */
  nowUs: (key: string) => number;
}

/**
 * Notes of parts in the slot that they are charged in: on the same connection, a note is there before the charge. Every
 * node gives back what is overdue, whoever charged it; that two of them find it does no harm, as the receipt says what
 * became of it.
 */
export class ClusterPartNotes implements PartNotes {
  /** Every hash tag under which a node has charged parts, as far as this one has heard: those of global limits. */
  readonly tags = new Set<string>();
  private haveReadTags = false;
  private readingTags: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isSweeping = false;
  private isClosed = false;

  constructor(private readonly options: ClusterPartNotesOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS);
    this.timer.unref();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  /** Whether {@link tags} holds those of other nodes; reads them first, unless that was done. Never rejects. */
  async knowTags(): Promise<boolean> {
    if (!this.haveReadTags) {
      this.readingTags ??= this.readTags();
      await this.readingTags;
      this.readingTags = undefined;
    }
    return this.haveReadTags;
  }

  begin(receiptKey: string): void {
    const { cluster, connectionOf, nowUs } = this.options;
    const tag = tagOf(receiptKey) ?? '';
    if (!this.tags.has(tag)) {
      this.tags.add(tag);
      cluster.sadd(TAGS_KEY, tag).catch(() => this.tags.delete(tag));
    }
    const dueMs = Math.ceil(nowUs(receiptKey) / 1000) + KEEP_WITHIN_MS;
    const note = [notesKey(tag), dueMs, receiptKey] as const;
    // Where there is no connection, nothing is charged either. One that the slot has moved from says where to.
    connectionOf(note[0])
      ?.zadd(...note)
      .catch(() => cluster.zadd(...note))
      .catch(() => undefined);
  }

  async keep(receiptKey: string): Promise<void> {
    const endMs = performance.now() + KEEP_WITHIN_MS;
    while (!(await this.forget(receiptKey)) && performance.now() < endMs && !this.isClosed) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    }
  }

  async giveBack(receiptKey: string): Promise<void> {
    await this.tryGiveBack(receiptKey);
  }

  /** Gives back what is overdue. Never rejects: what could not be done is overdue the next time. */
  async sweep(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    await this.readTags();
    await Promise.allSettled([...this.tags].map((tag) => this.sweepTag(tag)));
    this.isSweeping = false;
  }

  // Where the list cannot be read, what is known of it goes on.
  private async readTags(): Promise<void> {
    try {
      for (const tag of await this.options.cluster.smembers(TAGS_KEY)) this.tags.add(tag);
      this.haveReadTags = true;
    } catch {}
  }

  private async sweepTag(tag: string): Promise<void> {
    const redis = this.options.connectionOf(notesKey(tag));
    if (redis === undefined) return;
    const [seconds, microseconds] = await redis.time();
    const nowMs = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    for (let mayBeMore = true; mayBeMore && !this.isClosed; ) {
      const [key, first, last] = [notesKey(tag), '-inf', String(nowMs)];
      const { cluster } = this.options;
      const overdue = await cluster.zrange(key, first, last, 'BYSCORE', 'LIMIT', 0, SWEPT_AT_ONCE);
      const done = await Promise.all(overdue.map((receiptKey) => this.settle(tag, receiptKey)));
      mayBeMore = overdue.length === SWEPT_AT_ONCE && done.every(Boolean);
    }
  }

  /** Keeps a part whose request was charged by someone who died before saying so; gives any other back. */
  private async settle(tag: string, receiptKey: string): Promise<boolean> {
    const isCharged = (await this.options.cluster.exists(receiptKey.slice(tag.length))) > 0;
    return isCharged ? this.forget(receiptKey) : this.tryGiveBack(receiptKey);
  }

  private async tryGiveBack(receiptKey: string): Promise<boolean> {
    const returned = await this.options.amend({ op: 'return', receiptKey, which: 'all' });
    if (!returned.available) return false;
    try {
      // Were the receipt to stay, a later try of the same request would pass by it for nothing.
      await this.options.cluster.unlink(receiptKey);
    } catch {
      return false;
    }
    return this.forget(receiptKey);
  }

  private async forget(receiptKey: string): Promise<boolean> {
    try {
      await this.options.cluster.zrem(notesKey(tagOf(receiptKey) ?? ''), receiptKey);
      return true;
    } catch {
      return false;
    }
  }
}
