import { TollgateError } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import { Generations } from '../policy/generations.js';
import { within } from '../store/clocks.js';

/** Keys whose tenants a node knows at once. */
const MAX_KNOWN = 200_000;

/** Public ids without a tenant are remembered apart, so that invented ones cannot push out real ones. */
const MAX_UNKNOWN = 10_000;
const UNKNOWN_FOR_MS = 2000;

/** How long a request waits for the tenant of a key that this node never saw. */
const DEADLINE_MS = 250;

const PUBLIC_ID_FIELD = /"publicId":"([0-9A-Za-z]{12})"/g;

/** Reads the tenants of public ids, in order; null for nobody's. */
export type ReadKeyTenants = (publicIds: readonly string[]) => Promise<(string | null)[]>;

/**
 * Whose a key's public id is. A key never changes hands, so what is known stays known; whether the key still works is for
 * its tenant's record to say.
 */
export class KeyDirectory {
  private readonly known = new Generations<string>(MAX_KNOWN / 2);
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_FOR_MS });
  private readonly reads = new Map<string, Promise<string | null>>();
  /** Grows with each change that comes into force: what was asked for before it may be of before it. */
  private changes = 0;

  constructor(private readonly read: ReadKeyTenants) {}

  /** The tenant; null when the id is nobody's. @throws TollgateError `tenant-unavailable` when it cannot be looked up */
  async tenantOf(publicId: string): Promise<string | null> {
    const known = this.known.get(publicId);
    if (known !== undefined) return known;
    if (this.unknown.has(publicId)) return null;
    let read = this.reads.get(publicId);
    if (read === undefined) {
      read = this.lookUp(publicId);
      this.reads.set(publicId, read);
    }
    try {
      return await read;
    } finally {
      if (this.reads.get(publicId) === read) this.reads.delete(publicId);
    }
  }

  /** Takes the owners of keys from records that lay on disk: a key is believed only when its owner's record is opened. */
  restore(records: Iterable<readonly [tenant: string, stored: string]>): void {
    for (const [tenant, stored] of records) {
      for (const [, publicId = ''] of stored.matchAll(PUBLIC_ID_FIELD)) this.known.set(publicId, tenant);
    }
  }

  /** New policy is in force: there may be keys that there were not. */
  changed(): void {
    this.changes++;
    this.unknown.clear();
    // Who asks from now on asks anew.
    this.reads.clear();
  }

  private async lookUp(publicId: string): Promise<string | null> {
    const { changes } = this;
    const tenant = await this.readSoon(publicId);
    if (tenant !== null) this.known.set(publicId, tenant);
    else if (changes === this.changes) this.unknown.set(publicId, true);
    return tenant;
  }

  private async readSoon(publicId: string): Promise<string | null> {
    try {
      const tenants = await within(DEADLINE_MS, this.read([publicId]));
      if (tenants === undefined) throw new Error('no answer in time');
      return tenants[0] ?? null;
    } catch (cause) {
      throw new TollgateError('tenant-unavailable', { internal: `key ${publicId}: ${String(cause)}`, cause });
    }
  }
}
