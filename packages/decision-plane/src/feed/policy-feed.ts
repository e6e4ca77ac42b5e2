import type { Head, NodeReport, TenantRecord } from '@tollgate/contracts';
import { type CompiledCatalogue, type PolicyVerifier, SealError } from '@tollgate/policy';
import type { PolicySource } from '../policy-redis/policy-store.js';
import { type LastGood, type LastGoodFile, LastGoodKeeper } from './last-good.js';
import { Announcements, type PastPolicy, PolicyRecords } from './policy-records.js';
import { RejectedRecords, shortReason, TenantCache } from './tenant-cache.js';

export interface StoredRevision {
  readonly head: Head;
  readonly storedHead: string;
  readonly catalogueText: string;
}

export class ActivePolicy {
  catalogue: CompiledCatalogue | undefined;
  stored: StoredRevision | undefined;
  private rejected: { nack: NonNullable<NodeReport['nack']>; storedHead: string } | undefined;

  constructor(
    private readonly records: PolicyRecords,
    private readonly onRejected: (revision: number, error: unknown) => void,
  ) {}

  get revision(): number {
    return this.stored?.head.revision ?? 0;
  }

  get nack(): NodeReport['nack'] | undefined {
    return this.rejected?.nack;
  }

  isNew(storedHead: string): boolean {
    return storedHead !== this.stored?.storedHead && storedHead !== this.rejected?.storedHead;
  }

  /** Undefined: it is rejected. */
  openHead(storedHead: string): Head | undefined {
    try {
      return this.records.head(storedHead);
    } catch (error) {
      // Its revision cannot be trusted: reported as the next one.
      this.reject(storedHead, this.revision + 1, error);
      return undefined;
    }
  }

  /** @param commitTenants activates its tenant records in the same turn @throws Error if unusable; nothing has changed then */
  apply(next: StoredRevision, commitTenants?: (before: PastPolicy | undefined) => void): void {
    const { head, catalogueText } = next;
    const { catalogue, revision, stored } = this;
    // Also the active text is checked against the hash of a new head.
    if (catalogueText !== stored?.catalogueText || head.catalogueHash !== stored.head.catalogueHash)
      this.catalogue = this.records.catalogue(head, catalogueText);
    commitTenants?.(catalogue && { catalogue, revision });
    this.stored = next;
    this.rejected = undefined;
  }

  reject(storedHead: string, revision: number, error: unknown): void {
    const reason = shortReason(error instanceof Error ? error.message : String(error));
    this.rejected = { nack: { revision, reason }, storedHead };
    this.onRejected(revision, error);
  }
}

/** Bounds the effect of a lost announcement. */
const POLL_MS = 2000;

const CHECK_AGE_MS = 1000;

/** The confirmation on disk may be older than the active one by `maxStaleMs` ÷ this. */
const UNSAVED_DIVISOR = 50;

/** Attempts to get a tenant's record and the catalogue of the same revision. */
const MAX_CATCH_UPS = 3;

export interface PolicyFeedOptions {
  source: Pick<PolicySource, 'poll' | 'readCatalogue' | 'readTenants' | 'subscribe'>;
  verifier: PolicyVerifier;
  lastGood?: LastGoodFile | undefined;
  nodes?: () => number;
  maxStaleMs?: number | undefined;
  nowMs?: () => number;
  onChange: () => void;
  onRestored?: (tenants: readonly (readonly [tenant: string, stored: string])[]) => void;
  onStale: (isStale: boolean, ageMs: number) => void;
  onError: (message: string, error: unknown) => void;
}

/** Announcements name changed tenants; a poll finds missed ones. An unusable revision leaves the last good one active. */
export class PolicyFeed {
  readonly freshness: Freshness;
  private readonly records: PolicyRecords;
  private readonly tenants: TenantCache;
  private readonly rejectedRecords: RejectedRecords;
  private readonly announcements = new Announcements();
  private readonly keeper: LastGoodKeeper | undefined;
  private readonly nowMs: () => number;
  private readonly active: ActivePolicy;
  private hasJoined = false;
  /** Time from publication to activation on this node, ms; null if the node started with this revision. */
  applyLatencyMs: number | null = null;
  /** Rejected since the start: revisions with an invalid seal or unusable content, and records of single tenants. */
  readonly rejections = { seal: 0, content: 0, tenant: 0 };
  /** Live nodes when the policy on disk was written. */
  lastNodes: number | undefined;
  private confirmation: string | null = null;
  private confirmedOnDiskMs = 0;
  private work: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;
  private unsubscribe: (() => void) | undefined;
  private pollTimer: NodeJS.Timeout | undefined;
  private ageTimer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: PolicyFeedOptions) {
    const { source, verifier, lastGood: file, maxStaleMs = DEFAULT_MAX_STALE_MS, onStale, onError } = options;
    this.nowMs = options.nowMs ?? Date.now;
    this.records = new PolicyRecords(verifier);
    this.active = new ActivePolicy(this.records, (revision, error) => {
      this.rejections[error instanceof SealError ? 'seal' : 'content']++;
      onError(`revision ${revision} rejected`, error);
      options.onChange();
    });
    this.freshness = new Freshness({ maxStaleMs, nowMs: this.nowMs, onStale });
    this.rejectedRecords = new RejectedRecords({
      onChange: () => options.onChange(),
      onError: (message, error) => {
        this.rejections.tenant++;
        onError(message, error);
      },
    });
    this.tenants = new TenantCache({
      read: (tenants) => source.readTenants(tenants),
      open: (tenant, stored) => this.records.tenant(tenant, stored),
      revision: () => this.revision,
      onRejected: (tenant, reason) => this.rejectedRecords.note(tenant, reason),
      onKept: () => this.saveSoon(),
    });
    if (file !== undefined)
      this.keeper = new LastGoodKeeper({ file, content: () => this.lastGood(), onError });
  }

  get catalogue(): CompiledCatalogue | undefined {
    return this.active.catalogue;
  }

  get revision(): number {
    return this.active.revision;
  }

  get staleFromMs(): number {
    return this.freshness.staleFromMs;
  }

  /** Why the newest revision, or a tenant's newest record, is not active; null if both are. */
  get nack(): NodeReport['nack'] {
    return this.active.nack ?? this.rejectedRecords.nack(this.revision);
  }

  /** Catalogue and records change together. */
  get version(): number | undefined {
    return this.tenants.version;
  }

  /** Undefined: load it. */
  findTenant(key: string): TenantRecord | null | undefined {
    const record = this.tenants.find(key);
    return record != null && record.revision > this.revision ? undefined : record;
  }

  /** A record of a later revision activates that revision first. @throws TollgateError `tenant-unavailable` */
  async loadTenant(key: string): Promise<TenantRecord | null> {
    for (let tries = 1; ; tries++) {
      const found = this.tenants.find(key);
      const record = found === undefined ? await this.tenants.load(key) : found;
      const { revision } = this;
      if (record === null || record.revision <= revision) return record;
      await this.refresh();
      // The record was written before its revision, or the connection was lost just now: uses the last known record, or the
      // newer one if none is known.
      if (this.revision === revision || tries === MAX_CATCH_UPS)
        return this.tenants.keepLastKnown(key) ?? record;
    }
  }

  pastOf(tenant: TenantRecord): PastPolicy | undefined {
    return this.tenants.pastOf(tenant);
  }

  /** Reads the newest policy now. Never rejects. */
  refresh(): Promise<void> {
    // One change at a time, in order. After a failure, the poll tries again.
    this.queued ??= this.work
      .then(() => {
        this.queued = undefined;
        return this.synchronize();
      })
      .catch((error) => this.options.onError('cannot read policy', error));
    this.work = this.queued;
    return this.work;
  }

  /** Activates the policy on disk. @returns whether there was one */
  async restore(): Promise<boolean> {
    if (this.options.lastGood === undefined) return false;
    for await (const generation of this.options.lastGood.generations()) {
      const { head, catalogue, confirmation, nodes, tenants } = generation;
      try {
        this.apply({ head: this.records.head(head), storedHead: head, catalogueText: catalogue });
      } catch (error) {
        // Written by another deployment or a newer version.
        this.options.onError('the last good policy on disk was rejected', error);
        continue;
      }
      this.tenants.restore(tenants);
      this.options.onRestored?.(tenants);
      this.lastNodes = nodes ?? undefined;
      this.noteConfirmation(confirmation);
      return true;
    }
    return false;
  }

  /** Retries while Redis is unavailable. */
  async start(): Promise<void> {
    if (this.closed) return;
    this.unsubscribe = this.options.source.subscribe(
      (stored) => {
        const announcement = this.records.announcement(stored);
        if (announcement !== undefined && announcement.revision > this.revision)
          this.announcements.add(announcement);
        // Also for an unreadable announcement: something has changed.
        void this.refresh();
      },
      () => void this.refresh(),
    );
    this.ageTimer = setInterval(() => this.freshness.check(), CHECK_AGE_MS).unref();
    await this.refresh();
    this.schedulePoll();
  }

  saveSoon(): void {
    this.keeper?.saveSoon();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.pollTimer);
    clearInterval(this.ageTimer);
    this.unsubscribe?.();
    await this.work;
    await this.keeper?.close();
  }

  private schedulePoll(): void {
    if (this.closed) return;
    this.pollTimer = setTimeout(() => {
      void this.refresh().then(() => this.schedulePoll());
    }, POLL_MS);
    this.pollTimer.unref();
  }

  private async synchronize(): Promise<void> {
    const { head, confirmation } = await this.options.source.poll();
    if (head !== null && this.active.isNew(head)) await this.activate(head);
    this.hasJoined = true;
    this.noteConfirmation(confirmation);
  }

  private async activate(polledHead: string): Promise<void> {
    let storedHead = polledHead;
    let head = this.active.openHead(storedHead);
    if (head === undefined || head.revision <= this.revision) return;
    const { stored } = this.active;
    let catalogueText = stored?.catalogueText ?? '';
    if (head.catalogueHash !== stored?.head.catalogueHash) {
      const newest = await this.options.source.readCatalogue();
      if (newest === undefined) return;
      storedHead = newest.head;
      catalogueText = newest.catalogue;
      head = this.active.openHead(storedHead);
      if (head === undefined) return;
    }
    const changed = this.announcements.tenantsBetween(this.revision, head.revision);
    const commitTenants = await this.tenants.prepare(changed, head.revision);
    try {
      this.apply({ head, storedHead, catalogueText }, commitTenants);
    } catch (error) {
      this.active.reject(storedHead, head.revision, error);
      return;
    }
    this.applyLatencyMs = this.hasJoined ? Math.max(0, this.nowMs() - head.publishedAtMs) : null;
    this.saveSoon();
    this.options.onChange();
  }

  private apply(next: StoredRevision, commitTenants?: (before: PastPolicy | undefined) => void): void {
    this.active.apply(next, commitTenants);
    this.announcements.forgetUpTo(next.head.revision);
    this.freshness.confirmed(next.head.publishedAtMs);
  }

  private noteConfirmation(stored: string | null): void {
    if (stored === this.confirmation) return;
    const confirmation = this.records.confirmation(stored);
    // A confirmation of a later revision does not confirm the active one.
    if (confirmation === undefined || confirmation.revision > this.revision) return;
    this.confirmation = stored;
    this.freshness.confirmed(confirmation.atMs);
    this.freshness.check();
    const { maxStaleMs = DEFAULT_MAX_STALE_MS } = this.options;
    if (confirmation.atMs - this.confirmedOnDiskMs > maxStaleMs / UNSAVED_DIVISOR) this.saveSoon();
  }

  private lastGood(): LastGood | undefined {
    const { stored } = this.active;
    if (stored === undefined) return undefined;
    const { storedHead, catalogueText } = stored;
    this.confirmedOnDiskMs = this.freshness.confirmedAtMs ?? 0;
    return {
      head: storedHead,
      catalogue: catalogueText,
      confirmation: this.confirmation,
      nodes: this.options.nodes?.() ?? null,
      tenants: this.tenants.stored(),
    };
  }
}

export const DEFAULT_MAX_STALE_MS = 86_400_000;

export interface FreshnessOptions {
  maxStaleMs: number;
  /** Unix ms. */
  nowMs: () => number;
  /** Called when the policy becomes stale, and when it is fresh again. */
  onStale: (isStale: boolean, ageMs: number) => void;
}

export class Freshness {
  /** Unix ms; undefined before the first policy. */
  confirmedAtMs: number | undefined;
  private reported = false;

  constructor(private readonly options: FreshnessOptions) {}

  confirmed(atMs: number): void {
    if (atMs > (this.confirmedAtMs ?? -1)) this.confirmedAtMs = atMs;
  }

  /** Never negative, also if the control plane's clock is ahead. */
  get ageMs(): number | null {
    return this.confirmedAtMs === undefined ? null : Math.max(0, this.options.nowMs() - this.confirmedAtMs);
  }

  get staleFromMs(): number {
    return (this.confirmedAtMs ?? Number.POSITIVE_INFINITY) + this.options.maxStaleMs;
  }

  get isStale(): boolean {
    return this.options.nowMs() > this.staleFromMs;
  }

  check(): void {
    const { isStale } = this;
    if (isStale === this.reported) return;
    this.reported = isStale;
    this.options.onStale(isStale, this.ageMs ?? 0);
  }
}
