import { type TenantRecord, TollgateError, tenantRecordSchema } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import { readJson } from '../store/json-record.js';

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

interface Entry {
  record: TenantRecord;
  /** When it has to be read anew, unix ms: it may have changed. Infinity: when a change of it is announced. */
  staleAtMs: number;
}

/** Reads the records of several tenants, in order; null for one that does not exist. */
export type ReadTenants = (tenants: readonly string[]) => Promise<(string | null)[]>;

/** Tenant records, loaded when first asked for, all that are asked for in one turn of the event loop together. */
export class TenantCache {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_TENANTS });
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  private readonly loads = new Map<string, Promise<TenantRecord | null>>();
  private wanted: Map<string, (text: string | null | Error) => void> = new Map();
  /** Grows with each change that comes into force: what was asked for before it may be of before it. */
  private changes = 0;

  constructor(private readonly readTenants: ReadTenants) {}

  /** The record if it is here and current; null when there is no such tenant; undefined when it has to be loaded. */
  find(tenant: string): TenantRecord | null | undefined {
    const entry = this.entries.get(tenant);
    if (entry !== undefined && (entry.staleAtMs === Infinity || entry.staleAtMs > Date.now()))
      return entry.record;
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
   * it is read when asked for.
   */
  async prepare(tenants: readonly string[] | null): Promise<() => void> {
    const held = tenants?.filter((tenant) => this.entries.has(tenant)) ?? [];
    const texts = await this.readTenants(held);
    return () => {
      this.changes++;
      this.unknown.clear();
      for (const tenant of tenants ?? this.entries.keys()) this.markStale(tenant);
      for (const [i, tenant] of held.entries()) this.keep(tenant, texts[i] ?? null, Infinity);
    };
  }

  /** The records held, for the last-good file. */
  records(): TenantRecord[] {
    return [...this.entries.values()].map(({ record }) => record);
  }

  /** Takes records from the last-good file: good enough until they can be read. */
  restore(records: readonly TenantRecord[]): void {
    for (const record of records) this.entries.set(record.tenant, { record, staleAtMs: 0 });
  }

  private markStale(tenant: string): void {
    const entry = this.entries.peek(tenant);
    if (entry !== undefined) entry.staleAtMs = 0;
  }

  private keep(tenant: string, text: string | null, staleAtMs: number): TenantRecord | null | undefined {
    if (text === null) {
      this.entries.delete(tenant);
      if (staleAtMs > 0) this.unknown.set(tenant, true);
      return null;
    }
    const record = readJson(tenantRecordSchema, text);
    if (record !== undefined) this.entries.set(tenant, { record, staleAtMs });
    return record;
  }

  private async read(tenant: string): Promise<TenantRecord | null> {
    const lastKnown = this.entries.peek(tenant)?.record;
    const { changes } = this;
    const text = await this.readSoon(
      tenant,
      lastKnown === undefined ? FIRST_LOAD_DEADLINE_MS : RELOAD_DEADLINE_MS,
    );
    const staleAtMs = changes === this.changes ? Infinity : 0;
    const record = text instanceof Error ? undefined : this.keep(tenant, text, staleAtMs);
    if (record !== undefined) return record;
    if (lastKnown !== undefined) {
      this.entries.set(tenant, { record: lastKnown, staleAtMs: Date.now() + RETRY_AFTER_MS });
      return lastKnown;
    }
    const cause = text instanceof Error ? text : new Error('the record has a wrong shape');
    throw new TollgateError('tenant-unavailable', { internal: `tenant ${tenant}: ${cause.message}`, cause });
  }

  private readSoon(tenant: string, deadlineMs: number): Promise<string | null | Error> {
    if (this.wanted.size === 0) queueMicrotask(() => void this.readWanted());
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(new Error('no answer in time')), deadlineMs);
      this.wanted.set(tenant, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
    });
  }

  private async readWanted(): Promise<void> {
    const wanted = [...this.wanted];
    this.wanted = new Map();
    try {
      const texts = await this.readTenants(wanted.map(([tenant]) => tenant));
      for (const [i, [, settle]] of wanted.entries()) settle(texts[i] ?? null);
    } catch (error) {
      for (const [, settle] of wanted) settle(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
