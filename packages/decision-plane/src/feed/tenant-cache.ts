import { setImmediate as nextTurn } from 'node:timers/promises';
import { type NodeReport, type TenantRecord, TollgateError } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { type Resolvers, withResolvers } from '@tollgate/contracts/older-node';
import { within } from '@tollgate/limiter/stores';
import { LRUCache } from 'lru-cache';
import type { PastPolicy } from './policy-records.js';

const MAX_REJECTED = 100;
const MAX_REASON_CHARS = 500;

/** Tenants whose newest record is unusable; their previous record stays active. */
export class RejectedRecords {
  private readonly reasons = new Map<string, string>();

  constructor(
    private readonly options: {
      /** Called when a record is added or removed. */
      onChange: () => void;
      onError: (message: string, error: unknown) => void;
    },
  ) {}

  /** @param reason null: the record is usable again */
  note(tenant: string, reason: string | null): void {
    if (reason === null) {
      if (this.reasons.delete(tenant)) this.options.onChange();
    } else if (!this.reasons.has(tenant) && this.reasons.size < MAX_REJECTED) {
      this.reasons.set(tenant, shortReason(reason));
      this.options.onError(`record of tenant ${tenant} rejected`, new Error(reason));
      this.options.onChange();
    }
  }

  /** The oldest rejection, under the active revision. */
  nack(revision: number): NodeReport['nack'] {
    const [reason] = this.reasons.values();
    return reason === undefined ? null : { revision: Math.max(1, revision), reason };
  }
}

export function shortReason(reason: string): string {
  return reason.slice(0, MAX_REASON_CHARS);
}

const MAX_TENANTS = 100_000;

/** Unknown names have a cache of their own, so that invented names do not evict real tenants. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 2000;

/** Longest wait for the record of an unknown tenant, which cannot be decided without it. */
const FIRST_LOAD_DEADLINE_MS = 250;

/** Longest wait for a newer record of a known tenant. */
const RELOAD_DEADLINE_MS = 25;

/** Retry time of a record that could not be read; until then the cached one decides. */
const RETRY_AFTER_MS = 1000;

/** Reads of a record that changes meanwhile. */
const MAX_READS = 3;

const OPENED_AT_ONCE = 32;
const MAX_ERAS = 4;

/** Between two changes of unknown extent. */
interface Era {
  /** The policy at its end; undefined: it is current, or too old. */
  past: PastPolicy | undefined;
}

interface Entry {
  /** Stored form, for the disk. */
  readonly stored: string;
  /** Undefined after a start from disk, until first use. */
  readonly record: TenantRecord | undefined;
  readonly era: Era;
  /** When it must be read again, monotonic ms; Infinity: when a change is announced. */
  staleAtMs: number;
  /** The policy before it had to be read again, if that is not the end of its era. */
  past: PastPolicy | undefined;
}

interface Reading {
  readonly stored: string | null | Error;
  /** Policy did not change meanwhile. */
  readonly isCurrent: boolean;
}

export interface TenantCacheOptions {
  /** Reads the records of several tenants, in order; null for one that does not exist. */
  read: (tenants: readonly string[]) => Promise<(string | null)[]>;
  open: (tenant: string, stored: string) => TenantRecord;
  revision: () => number;
  /** Null: the record is usable again. */
  onRejected: (tenant: string, reason: string | null) => void;
  /** A record changed that must be written to disk. */
  onKept?: () => void;
}

/** Caches tenant records. Those first needed in the same turn of the event loop are read together. */
export class TenantCache {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_TENANTS });
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  private readonly loads = new Map<string, Promise<TenantRecord | null>>();
  private pending: Map<string, Resolvers<Reading['stored']>> = new Map();
  /** Number of changes of what `find` returns for a cached tenant. */
  private versions = 0;
  /** Until when a found record may be one that could not be read again, monotonic ms. */
  private unsettledUntilMs = Number.NEGATIVE_INFINITY;
  /** Number of policy changes: a read that began before a change may return the state before it. */
  private changes = 0;
  private readonly eras: Era[] = [{ past: undefined }];
  /** Policies of records that could not be read again. */
  private readonly pasts = new WeakMap<TenantRecord, PastPolicy>();
  private hasPasts = false;

  constructor(private readonly options: TenantCacheOptions) {}

  /** Changes whenever a cached record may have changed; undefined while a found record may expire. */
  get version(): number | undefined {
    const { unsettledUntilMs } = this;
    const isSettled = unsettledUntilMs === Number.NEGATIVE_INFINITY || performance.now() >= unsettledUntilMs;
    return isSettled ? this.versions : undefined;
  }

  /** Undefined: load it. */
  find(tenant: string): TenantRecord | null | undefined {
    const entry = this.entries.get(tenant);
    if (entry?.record !== undefined && entry.era === this.era) {
      if (entry.staleAtMs === Infinity || entry.staleAtMs > performance.now()) return entry.record;
    }
    return this.unknown.has(tenant) ? null : undefined;
  }

  /** The last known record if it cannot be read. @throws TollgateError `tenant-unavailable` if there is none */
  load(tenant: string): Promise<TenantRecord | null> {
    return getOrAdd(this.loads, tenant, () => this.read(tenant).finally(() => this.loads.delete(tenant)));
  }

  /**
   * Reads the changed records that are cached. The returned function activates them at once, together with the new catalogue;
   * records newer than `revision` belong to the next one. Until a record is read again, it decides with the previous policy.
   * @param tenants null: any tenant may have changed; records are read when needed
   */
  async prepare(
    tenants: readonly string[] | null,
    revision: number,
  ): Promise<(before: PastPolicy | undefined) => void> {
    const cached = tenants?.filter((tenant) => this.entries.has(tenant)) ?? [];
    const stored = await this.options.read(cached);
    const opened: [tenant: string, stored: string | null, record: TenantRecord | undefined][] = [];
    for (const [i, tenant] of cached.entries()) {
      if (i % OPENED_AT_ONCE === OPENED_AT_ONCE - 1) await nextTurn();
      const text = stored[i] ?? null;
      opened.push([tenant, text, text === null ? undefined : this.open(tenant, text)]);
    }
    return (before) => {
      this.changes++;
      this.versions++;
      this.unknown.clear();
      if (tenants === null) this.beginEra(before);
      for (const tenant of tenants ?? []) this.markStale(tenant, before);
      for (const [tenant, text, record] of opened) {
        if (text === null) this.forget(tenant, true);
        else if (record !== undefined && record.revision <= revision)
          this.keep(tenant, text, record, Infinity);
      }
    };
  }

  keepLastKnown(tenant: string): TenantRecord | undefined {
    const entry = this.entries.peek(tenant);
    return entry && this.keepOn(tenant, entry, entry.past ?? entry.era.past);
  }

  /** The policy of a record that does not belong to the active revision. */
  pastOf(record: TenantRecord): PastPolicy | undefined {
    return this.hasPasts ? this.pasts.get(record) : undefined;
  }

  stored(): [tenant: string, stored: string][] {
    return [...this.entries.entries()].map(([tenant, { stored }]) => [tenant, stored]);
  }

  /** Adds stored records from disk. They are opened when first used, and used until they can be read. */
  restore(records: Iterable<readonly [tenant: string, stored: string]>): void {
    this.versions++;
    for (const [tenant, stored] of records) {
      const { era } = this;
      this.entries.set(tenant, { stored, record: undefined, era, staleAtMs: 0, past: undefined });
    }
  }

  private get era(): Era {
    return this.eras.at(-1) as Era;
  }

  private beginEra(before: PastPolicy | undefined): void {
    this.era.past = before;
    this.eras.push({ past: undefined });
    const forgotten = this.eras.length > MAX_ERAS ? this.eras.shift() : undefined;
    if (forgotten !== undefined) forgotten.past = undefined;
  }

  private markStale(tenant: string, before: PastPolicy | undefined): void {
    const entry = this.entries.peek(tenant);
    if (entry === undefined) return;
    entry.staleAtMs = 0;
    if (entry.era === this.era) entry.past ??= before;
  }

  private keep(
    tenant: string,
    stored: string,
    record: TenantRecord,
    staleAtMs: number,
    past?: PastPolicy,
  ): void {
    const { era } = this;
    if (this.entries.has(tenant)) this.versions++;
    if (staleAtMs !== Infinity) this.unsettledUntilMs = Math.max(this.unsettledUntilMs, staleAtMs);
    this.entries.set(tenant, { stored, record, era, staleAtMs, past });
    if (past === undefined) {
      this.pasts.delete(record);
    } else {
      this.pasts.set(record, past);
      this.hasPasts = true;
    }
    this.options.onKept?.();
  }

  private keepOn(tenant: string, entry: Entry, past: PastPolicy | undefined): TenantRecord | undefined {
    const { stored } = entry;
    const record = entry.record ?? this.open(tenant, stored);
    if (record !== undefined) this.keep(tenant, stored, record, performance.now() + RETRY_AFTER_MS, past);
    return record;
  }

  private forget(tenant: string, isCertain: boolean): void {
    if (this.entries.delete(tenant)) this.versions++;
    if (isCertain) this.unknown.set(tenant, true);
  }

  /** Undefined for an unusable record, also one older than the cached one. */
  private open(tenant: string, stored: string): TenantRecord | undefined {
    const entry = this.entries.peek(tenant);
    if (entry?.stored === stored && entry.record !== undefined) return entry.record;
    try {
      const record = this.options.open(tenant, stored);
      if (record.revision < (entry?.record?.revision ?? 0))
        throw new Error(`tenant ${tenant}: the record is older than the active one`);
      this.options.onRejected(tenant, null);
      return record;
    } catch (error) {
      this.options.onRejected(tenant, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** After the deadline the last known record decides; a late record is used by later decisions. */
  private async read(tenant: string): Promise<TenantRecord | null> {
    const deadlineMs = this.entries.has(tenant) ? RELOAD_DEADLINE_MS : FIRST_LOAD_DEADLINE_MS;
    const read = this.readUnchanged(tenant).then((reading) => this.accept(tenant, reading));
    const record = await within(deadlineMs, read);
    return record === undefined ? this.lastKnown(tenant, new Error('deadline exceeded')) : record;
  }

  private accept(tenant: string, { stored, isCurrent }: Reading): TenantRecord | null {
    if (stored === null) {
      this.forget(tenant, isCurrent);
      return null;
    }
    if (stored instanceof Error) return this.lastKnown(tenant, stored);
    const record = this.open(tenant, stored);
    if (record === undefined) return this.lastKnown(tenant);
    const entry = this.entries.peek(tenant);
    // The cached record is used until the revision of the new one is active.
    const isAhead = entry !== undefined && record.revision > this.options.revision();
    if (!isAhead) this.keep(tenant, stored, record, isCurrent ? Infinity : 0);
    return record;
  }

  /** @param failure why it could not be read; undefined: it was rejected @throws TollgateError `tenant-unavailable` */
  private lastKnown(tenant: string, failure?: Error): TenantRecord {
    const entry = this.entries.peek(tenant);
    // A tenant with a rejected record is decided by the active policy, not by an earlier one.
    const past = failure === undefined ? undefined : (entry?.past ?? entry?.era.past);
    const lastKnown = entry && this.keepOn(tenant, entry, past);
    if (lastKnown !== undefined) return lastKnown;
    const cause = failure ?? new Error('the record was rejected');
    throw new TollgateError('tenant-unavailable', { internal: `tenant ${tenant}: ${cause.message}`, cause });
  }

  /** Reads again after a change meanwhile, so that a decision does not use an outdated record. */
  private async readUnchanged(tenant: string): Promise<Reading> {
    for (let reads = 1; ; reads++) {
      const { changes } = this;
      const stored = await this.readSoon(tenant);
      const isCurrent = changes === this.changes;
      if (isCurrent || stored instanceof Error || reads === MAX_READS) return { stored, isCurrent };
    }
  }

  private readSoon(tenant: string): Promise<Reading['stored']> {
    if (this.pending.size === 0) queueMicrotask(() => void this.readPending());
    return getOrAdd(this.pending, tenant, () => withResolvers<Reading['stored']>()).promise;
  }

  private async readPending(): Promise<void> {
    const pending = [...this.pending];
    this.pending = new Map();
    try {
      const stored = await this.options.read(pending.map(([tenant]) => tenant));
      for (const [i, [, { resolve }]] of pending.entries()) resolve(stored[i] ?? null);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      for (const [, { resolve }] of pending) resolve(failure);
    }
  }
}
