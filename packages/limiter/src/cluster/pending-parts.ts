import { getOrAdd } from '@tollgate/contracts/maps';
import type { Cluster, Redis } from 'ioredis';
import { readTimeMs } from '../stores/clocks.js';
import type { Amended, Amendment, Unavailable } from '../stores/decision-store.js';
import type { PendingParts } from './parts.js';
import { readNote } from './shared-parts.js';
import { tagOf } from './slots.js';

const TAGS_KEY = 'tg:part-tags';

/** Sorted set of notes by the time (Unix ms) at which their parts are refunded. */
const pendingKey = (tag: string) => `${tag}:parts`;

const CONFIRM_WITHIN_MS = 1000;

/** With {@link CONFIRM_WITHIN_MS}, parts of a crashed node are refunded within two seconds. */
const SWEEP_EVERY_MS = 500;

const SWEEP_BATCH = 32;
const RETRY_AFTER_MS = 50;

export interface ClusterPendingPartsOptions {
  cluster: Cluster;
  amend: (amendment: Amendment) => Promise<Amended | Unavailable>;
  connectionOf: (key: string) => Redis | undefined;
  nowUs: (key: string) => number;
}

/** Entries that are written to one key by the next command. */
interface Batch<T> {
  readonly entries: T[];
  readonly isDone: Promise<boolean>;
}

/**
 * Records pending parts in the slot where they are charged, before the charge and on the same connection. Every node refunds
 * overdue parts of all nodes; the receipt makes a second refund harmless. The entries of an event loop turn are written by one
 * command per slot.
 */
export class ClusterPendingParts implements PendingParts {
  readonly tags = new Set<string>();
  private hasTags = false;
  private readingTags: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isSweeping = false;
  private isClosed = false;
  /** By key: scores and members. */
  private adding = new Map<string, (string | number)[]>();
  private readonly removing = new Map<string, Batch<string>>();

  constructor(private readonly options: ClusterPendingPartsOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  /** Whether {@link tags} includes the tags of other nodes; reads them if necessary. Never rejects. */
  async loadTags(): Promise<boolean> {
    if (!this.hasTags) {
      this.readingTags ??= this.readTags();
      await this.readingTags;
      this.readingTags = undefined;
    }
    return this.hasTags;
  }

  add(note: string): void {
    const { cluster, nowUs } = this.options;
    const tag = tagOf(note) ?? '';
    if (!this.tags.has(tag)) {
      this.tags.add(tag);
      cluster.sadd(TAGS_KEY, tag).catch(() => this.tags.delete(tag));
    }
    const dueMs = Math.ceil(nowUs(note) / 1000) + CONFIRM_WITHIN_MS;
    if (this.adding.size === 0) queueMicrotask(() => this.writeAdded());
    getOrAdd(this.adding, pendingKey(tag), () => []).push(dueMs, note);
  }

  writeAdded(): void {
    if (this.adding.size === 0) return;
    const { cluster, connectionOf } = this.options;
    for (const [key, entries] of this.adding) {
      // Without a connection, the charge fails too. If the slot has moved, the cluster client follows the redirect.
      connectionOf(key)
        ?.zadd(key, ...entries)
        .catch(() => cluster.zadd(key, ...entries))
        .catch(() => undefined);
    }
    this.adding = new Map();
  }

  async confirm(note: string): Promise<void> {
    const endMs = performance.now() + CONFIRM_WITHIN_MS;
    while (!(await this.remove(note)) && performance.now() < endMs && !this.isClosed) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    }
  }

  async refund(note: string): Promise<void> {
    await this.tryRefund(note);
  }

  async settle(note: string, units: number): Promise<void> {
    await this.trySettle(note, units);
  }

  async sweep(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    await this.readTags();
    await Promise.allSettled([...this.tags].map((tag) => this.sweepTag(tag)));
    this.isSweeping = false;
  }

  // If the tags cannot be read, the known ones are used.
  private async readTags(): Promise<void> {
    try {
      for (const tag of await this.options.cluster.smembers(TAGS_KEY)) this.tags.add(tag);
      this.hasTags = true;
    } catch {}
  }

  private async sweepTag(tag: string): Promise<void> {
    const redis = this.options.connectionOf(pendingKey(tag));
    if (redis === undefined) return;
    const nowMs = await readTimeMs(redis);
    for (let hasMore = true; hasMore && !this.isClosed; ) {
      const [key, first, last] = [pendingKey(tag), '-inf', String(nowMs)];
      const { cluster } = this.options;
      const overdue = await cluster.zrange(key, first, last, 'BYSCORE', 'LIMIT', 0, SWEEP_BATCH);
      const done = await Promise.all(overdue.map((note) => this.resolve(tag, note)));
      hasMore = overdue.length === SWEEP_BATCH && done.every(Boolean);
    }
  }

  /** Confirms what requests were charged for by a node that crashed before it confirmed the part; refunds the rest. */
  private async resolve(tag: string, note: string): Promise<boolean> {
    const { cluster } = this.options;
    const shared = readNote(note);
    const proofs = shared?.marks ?? [note.slice(tag.length)];
    const found = await Promise.all(proofs.map((key) => cluster.exists(key)));
    const charged = found.filter((count) => count > 0).length;
    if (charged === proofs.length) return this.remove(note);
    return charged === 0 ? this.tryRefund(note) : this.trySettle(note, charged * (shared?.cost ?? 0));
  }

  private async tryRefund(note: string): Promise<boolean> {
    const receiptKey = readNote(note)?.receiptKey ?? note;
    const refunded = await this.options.amend({ op: 'refundReceipt', receiptKey, reason: 'all' });
    if (!refunded.available) return false;
    try {
      // If the receipt remained, a retry of the same request would count as already charged.
      await this.options.cluster.unlink(receiptKey);
    } catch {
      return false;
    }
    return this.remove(note);
  }

  private async trySettle(note: string, units: number): Promise<boolean> {
    const receiptKey = readNote(note)?.receiptKey ?? note;
    const settled = await this.options.amend({ op: 'settle', receiptKey, cost: units, overrun: 'cap' });
    return settled.available && this.remove(note);
  }

  private remove(note: string): Promise<boolean> {
    const key = pendingKey(tagOf(note) ?? '');
    const { entries, isDone } = getOrAdd(this.removing, key, () => this.removal(key));
    entries.push(note);
    return isDone;
  }

  private removal(key: string): Batch<string> {
    const entries: string[] = [];
    const write = async () => {
      // After all replies of this turn.
      await new Promise((resolve) => setImmediate(resolve));
      this.removing.delete(key);
      try {
        await this.options.cluster.zrem(key, ...entries);
        return true;
      } catch {
        return false;
      }
    };
    return { entries, isDone: write() };
  }
}
