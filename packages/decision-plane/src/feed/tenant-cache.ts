import { setImmediate as nextTurn } from 'node:timers/promises';
import { type NodeReport, type TenantRecord, TollgateError } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import type { PastPolicy } from './policy-records.js';

/** Tenants whose refusal is remembered; of more, the first are as telling. */
const MAX_REFUSED = 100;

/** The longest reason that is told. */
const MAX_REASON_CHARS = 500;

/** Tenants whose newest record cannot be used: what they had before goes on. */
export class TenantRefusals {
  private readonly reasons = new Map<string, string>();

  constructor(
    private readonly options: {
      /** Called when there is one more, or one less. */
      onChange: () => void;
      onError: (message: string, error: unknown) => void;
    },
  ) {}

  /** @param reason null: the record is right again */
  note(tenant: string, reason: string | null): void {
    if (reason === null) {
      if (this.reasons.delete(tenant)) this.options.onChange();
    } else if (!this.reasons.has(tenant) && this.reasons.size < MAX_REFUSED) {
      this.reasons.set(tenant, shortReason(reason));
      this.options.onError(`record of tenant ${tenant} refused`, new Error(reason));
      this.options.onChange();
    }
  }

  /** The oldest of them, told under the revision in force; null when there is none. */
  nack(revision: number): NodeReport['nack'] {
    const [reason] = this.reasons.values();
    return reason === undefined ? null : { revision: Math.max(1, revision), reason };
  }
}

/** A reason as it travels in a report. */
export function shortReason(reason: string): string {
  return reason.slice(0, MAX_REASON_CHARS);
}

/** Tenants that a node holds at once; a further one pushes out the one that was asked about longest ago. */
const MAX_TENANTS = 100_000;

/** Names without a tenant behind them are remembered apart, so that invented ones cannot push out real tenants. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 2000;

/** How long a decision waits for the record of a tenant that this node never saw; there is nothing to decide by. */
const FIRST_LOAD_DEADLINE_MS = 250;

/** How long it waits for a newer record than the one at hand. */
const RELOAD_DEADLINE_MS = 25;

/** When a record that could not be read anew is tried again; until then the one at hand decides. */
const RETRY_AFTER_MS = 1000;

/** Reads of a record that changes while it is read. */
const MAX_READS = 3;

/** Records opened in one turn of the event loop, when many changed at once. */
const OPENED_AT_ONCE = 32;

/** Eras whose policy is remembered. What was asked about last before all of them goes by the newest policy. */
const MAX_ERAS = 4;

/** Between two moments at which everything may have changed. */
interface Era {
  /** What was in force at its end; undefined: it goes on, or is long over. */
  past: PastPolicy | undefined;
}

interface Entry {
  /** As it is stored: what is kept on disk. */
  readonly stored: string;
  /** Undefined after a start from disk, until it is first needed. */
  readonly record: TenantRecord | undefined;
  /** It is current in this era only: then everything may have changed. */
  readonly era: Era;
  /** When it must be read again, monotonic ms: it may have changed. Infinity: when a change of it is announced. */
  staleAtMs: number;
  /** What was in force before it had to be read anew, where that is not the end of its era. */
  past: PastPolicy | undefined;
}

export interface TenantCacheOptions {
  /** Reads the records of several tenants, in order; null for one that does not exist. */
  read: (tenants: readonly string[]) => Promise<(string | null)[]>;
  /** Opens what was read. Throws for what is not this tenant's record. */
  open: (tenant: string, stored: string) => TenantRecord;
  /** The revision in force. */
  revision: () => number;
  /** A record was refused, for that reason; null: it is right again. */
  onRefused: (tenant: string, reason: string | null) => void;
  /** There is something new to keep on disk. */
  onKept?: () => void;
}

/** Tenant records, loaded when first asked for, all that are asked for in one turn of the event loop together. */
export class TenantCache {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_TENANTS });
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  private readonly loads = new Map<string, Promise<TenantRecord | null>>();
  private wanted: Map<string, (stored: string | null | Error) => void> = new Map();
  /** Grows with each change that comes into force: what was asked for before it may be of before it. */
  private changes = 0;
  private readonly eras: Era[] = [{ past: undefined }];
  /** What records go with that could not be read anew. */
  private readonly pasts = new WeakMap<TenantRecord, PastPolicy>();
  private hasPasts = false;

  constructor(private readonly options: TenantCacheOptions) {}

  /** The record if it is here and current; null when there is no such tenant; undefined when it has to be loaded. */
  find(tenant: string): TenantRecord | null | undefined {
    const entry = this.entries.get(tenant);
    if (entry?.record !== undefined && entry.era === this.era) {
      if (entry.staleAtMs === Infinity || entry.staleAtMs > performance.now()) return entry.record;
    }
    return this.unknown.has(tenant) ? null : undefined;
  }

  /**
   * Reads the record; null when there is no such tenant. Where it cannot be read, the last known one goes on.
   * @throws TollgateError `tenant-unavailable` when it cannot be read and was never known.
   */
  load(tenant: string): Promise<TenantRecord | null> {
    let load = this.loads.get(tenant);
    if (load === undefined) {
      load = this.read(tenant).finally(() => this.loads.delete(tenant));
      this.loads.set(tenant, load);
    }
    return load;
  }

  /**
   * Reads what changed and is held here, without using it yet: the returned function does that, in one go, so that a
   * new catalogue and the tenants that changed with it come into force together. Null: everything may have changed;
   * it is read when asked for. What is newer than `revision` belongs to the next one. Until a record is read anew, the one
   * at hand goes on with the policy that was in force before.
   */
  async prepare(
    tenants: readonly string[] | null,
    revision: number,
  ): Promise<(before: PastPolicy | undefined) => void> {
    const held = tenants?.filter((tenant) => this.entries.has(tenant)) ?? [];
    const stored = await this.options.read(held);
    const opened: [tenant: string, stored: string | null, record: TenantRecord | undefined][] = [];
    for (const [i, tenant] of held.entries()) {
      if (i % OPENED_AT_ONCE === OPENED_AT_ONCE - 1) await nextTurn();
      const text = stored[i] ?? null;
      opened.push([tenant, text, text === null ? undefined : this.open(tenant, text)]);
    }
    return (before) => {
      this.changes++;
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

  /** The last known record, where there is no way to a newer one: with the policy that it goes with, for a while. */
  goOn(tenant: string): TenantRecord | undefined {
    const entry = this.entries.peek(tenant);
    return entry && this.keepOn(tenant, entry, entry.past ?? entry.era.past);
  }

  /** The policy that a record goes with where that is not the one in force. */
  pastOf(record: TenantRecord): PastPolicy | undefined {
    return this.hasPasts ? this.pasts.get(record) : undefined;
  }

  /** The records held as they are stored, for the last-good file. */
  stored(): [tenant: string, stored: string][] {
    return [...this.entries.entries()].map(([tenant, { stored }]) => [tenant, stored]);
  }

  /** Takes records from the last-good file: good enough until they can be read, and opened when they are needed. */
  restore(records: Iterable<readonly [tenant: string, stored: string]>): void {
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
    this.entries.delete(tenant);
    if (isCertain) this.unknown.set(tenant, true);
  }

  /** Undefined for a record that cannot be used: one that is not this tenant's, or older than the one at hand. */
  private open(tenant: string, stored: string): TenantRecord | undefined {
    const entry = this.entries.peek(tenant);
    if (entry?.stored === stored && entry.record !== undefined) return entry.record;
    try {
      const record = this.options.open(tenant, stored);
      if (record.revision < (entry?.record?.revision ?? 0))
        throw new Error(`tenant ${tenant}: the record is older than the one in force`);
      this.options.onRefused(tenant, null);
      return record;
    } catch (error) {
      this.options.onRefused(tenant, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  private async read(tenant: string): Promise<TenantRecord | null> {
    const isKnown = this.entries.has(tenant);
    const { stored, isCurrent } = await this.readUnchanged(
      tenant,
      isKnown ? RELOAD_DEADLINE_MS : FIRST_LOAD_DEADLINE_MS,
    );
    if (stored === null) {
      this.forget(tenant, isCurrent);
      return null;
    }
    const record = stored instanceof Error ? undefined : this.open(tenant, stored);
    const entry = this.entries.peek(tenant);
    if (record !== undefined && !(stored instanceof Error)) {
      // The one at hand is still of use while the revision of this one cannot be put into force.
      const isAhead = entry !== undefined && record.revision > this.options.revision();
      if (!isAhead) this.keep(tenant, stored, record, isCurrent ? Infinity : 0);
      return record;
    }
    // What was refused does not hold a tenant back from what is in force for all others.
    const past = stored instanceof Error ? (entry?.past ?? entry?.era.past) : undefined;
    const lastKnown = entry && this.keepOn(tenant, entry, past);
    if (lastKnown !== undefined) return lastKnown;
    const cause = stored instanceof Error ? stored : new Error('the record was refused');
    throw new TollgateError('tenant-unavailable', { internal: `tenant ${tenant}: ${cause.message}`, cause });
  }

  /** Reads again what was overtaken by a change, so that a decision does not go by the policy before it. */
  private async readUnchanged(
    tenant: string,
    deadlineMs: number,
  ): Promise<{ stored: string | null | Error; isCurrent: boolean }> {
    for (let reads = 1; ; reads++) {
      const { changes } = this;
      const stored = await this.readSoon(tenant, deadlineMs);
      const isCurrent = changes === this.changes;
      if (isCurrent || stored instanceof Error || reads === MAX_READS) return { stored, isCurrent };
    }
  }

  private readSoon(tenant: string, deadlineMs: number): Promise<string | null | Error> {
    if (this.wanted.size === 0) queueMicrotask(() => void this.readWanted());
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(new Error('no answer in time')), deadlineMs);
      this.wanted.set(tenant, (stored) => {
        clearTimeout(timer);
        resolve(stored);
      });
    });
  }

  private async readWanted(): Promise<void> {
    const wanted = [...this.wanted];
    this.wanted = new Map();
    try {
      const stored = await this.options.read(wanted.map(([tenant]) => tenant));
      for (const [i, [, settle]] of wanted.entries()) settle(stored[i] ?? null);
    } catch (error) {
      for (const [, settle] of wanted) settle(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
