import type { Announcement, Head, NodeReport, TenantRecord } from '@tollgate/contracts';
import { CompiledCatalogue } from '../policy/catalogue.js';
import { hashText, type PolicySource } from '../store/config-store.js';
import type { LastGoodFile } from './last-good-file.js';
import { TenantCache } from './tenant-cache.js';

/** A message that was lost is made good within this. */
const POLL_MS = 2000;

/** Changes that come close together are written to disk once. */
const SAVE_AFTER_MS = 1000;

export interface PolicyFeedOptions {
  source: PolicySource;
  /** Left out: nothing is kept on disk. */
  lastGood?: LastGoodFile;
  /** Called after each change of revision or refusal of one. */
  onChange: () => void;
  /** Told of what went wrong and healed by itself. */
  onError: (message: string, error: unknown) => void;
}

/**
 * Keeps a node on the newest policy. Announcements say what changed; a poll finds what they missed; a revision that
 * cannot be used is refused with a reason and the last good one stays in force.
 */
export class PolicyFeed {
  private readonly tenants: TenantCache;
  private compiled: CompiledCatalogue | undefined;
  private applied: { head: Head; catalogueText: string } | undefined;
  private refused: NodeReport['nack'] = null;
  private latencyMs: number | null = null;
  private work: Promise<void> = Promise.resolve();
  private unsubscribe: (() => void) | undefined;
  private pollTimer: NodeJS.Timeout | undefined;
  private saveTimer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: PolicyFeedOptions) {
    this.tenants = new TenantCache((tenants) => options.source.readTenants(tenants));
  }

  /** The policy in force; undefined before the first. */
  get catalogue(): CompiledCatalogue | undefined {
    return this.compiled;
  }

  /** Revision in force; 0 before the first. */
  get revision(): number {
    return this.applied?.head.revision ?? 0;
  }

  /** Why the newest revision is not in force; null when it is. */
  get nack(): NodeReport['nack'] {
    return this.refused;
  }

  /** Milliseconds from the relay's publication to enforcement here; null when it started with this revision. */
  get applyLatencyMs(): number | null {
    return this.latencyMs;
  }

  /** The tenant's record if it is here and current; null when there is no such tenant; undefined: load it. */
  findTenant(key: string): TenantRecord | null | undefined {
    return this.tenants.find(key);
  }

  /** The tenant's record, read where it is not here. @throws TollgateError `tenant-unavailable` */
  async loadTenant(key: string): Promise<TenantRecord | null> {
    const found = this.tenants.find(key);
    return found === undefined ? await this.tenants.load(key) : found;
  }

  /** Reads what is newest now, ahead of the poll. Never rejects. */
  refresh(): Promise<void> {
    return this.enqueue(() => this.synchronise());
  }

  /** Starts from disk, then from Redis; where Redis cannot be asked, goes on trying. */
  async start(): Promise<void> {
    const lastGood = await this.options.lastGood?.read();
    if (lastGood !== undefined) {
      this.tenants.restore(lastGood.tenants);
      this.apply(lastGood.head, lastGood.catalogue);
    }
    this.unsubscribe = this.options.source.subscribe(
      (announcement) => this.enqueue(() => this.follow(announcement)),
      () => this.refresh(),
    );
    await this.refresh();
    this.latencyMs = null;
    this.schedulePoll();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.pollTimer);
    this.unsubscribe?.();
    await this.work;
    if (this.saveTimer !== undefined) {
      clearTimeout(this.saveTimer);
      await this.save();
    }
  }

  // One change at a time, in order; a failure leaves the policy as it was and the poll to try again.
  private enqueue(task: () => Promise<void>): Promise<void> {
    this.work = this.work.then(task).catch((error) => this.options.onError('cannot read policy', error));
    return this.work;
  }

  private schedulePoll(): void {
    if (this.closed) return;
    this.pollTimer = setTimeout(() => {
      void this.refresh().then(() => this.schedulePoll());
    }, POLL_MS);
    this.pollTimer.unref();
  }

  private async follow(announcement: Announcement): Promise<void> {
    if (announcement.revision <= this.revision) return;
    // Another revision came between: its message was lost, and what it changed is unknown.
    await this.synchronise(announcement.previous === this.revision ? announcement.tenants : null);
  }

  /** Reads what is newest. @param tenants those that changed since the revision in force; null: unknown */
  private async synchronise(tenants: readonly string[] | null = null): Promise<void> {
    const head = await this.options.source.readHead();
    if (head === undefined || head.revision <= this.revision || head.revision === this.refused?.revision)
      return;
    if (head.catalogueRevision === this.applied?.head.catalogueRevision) {
      this.apply(head, this.applied.catalogueText, await this.tenants.prepare(tenants));
      return;
    }
    const newest = await this.options.source.readCatalogue();
    if (newest === undefined) return;
    const changed = newest.head.revision === head.revision ? tenants : null;
    this.apply(newest.head, newest.text, await this.tenants.prepare(changed));
  }

  private apply(head: Head, catalogueText: string, applyTenants: () => void = () => undefined): void {
    try {
      if (catalogueText !== this.applied?.catalogueText) {
        if (hashText(catalogueText) !== head.catalogueHash)
          throw new Error('the catalogue does not match its hash');
        this.compiled = CompiledCatalogue.compile(catalogueText);
      }
      applyTenants();
      this.applied = { head, catalogueText };
      this.latencyMs = Math.max(0, Date.now() - head.publishedAtMs);
      this.refused = null;
      this.scheduleSave();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.refused = { revision: head.revision, reason: reason.slice(0, 500) };
      this.options.onError(`revision ${head.revision} refused`, error);
    }
    this.options.onChange();
  }

  private scheduleSave(): void {
    if (this.options.lastGood === undefined || this.saveTimer !== undefined) return;
    this.saveTimer = setTimeout(() => void this.save(), SAVE_AFTER_MS);
    this.saveTimer.unref();
  }

  private async save(): Promise<void> {
    this.saveTimer = undefined;
    if (this.applied === undefined) return;
    const { head, catalogueText } = this.applied;
    try {
      await this.options.lastGood?.write({ head, catalogue: catalogueText, tenants: this.tenants.records() });
    } catch (error) {
      this.options.onError('cannot save the last good policy', error);
    }
  }
}
