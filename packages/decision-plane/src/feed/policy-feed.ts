import type { Head, NodeReport, TenantRecord } from '@tollgate/contracts';
import type { CompiledCatalogue } from '../policy/catalogue.js';
import type { PolicyVerifier } from '../seal/policy-seal.js';
import type { PolicySource } from '../store/policy-store.js';
import { DEFAULT_MAX_STALE_MS, Freshness } from './freshness.js';
import { type LastGood, type LastGoodFile, LastGoodKeeper } from './last-good.js';
import { Announcements, type PastPolicy, PolicyRecords } from './policy-records.js';
import { shortReason, TenantCache, TenantRefusals } from './tenant-cache.js';

/** A revision as it is stored. */
export interface StoredRevision {
  readonly head: Head;
  readonly storedHead: string;
  readonly catalogueText: string;
}

/** The revision that a node decides by, and the newer one that it refused. */
export class PolicyInForce {
  private compiled: CompiledCatalogue | undefined;
  private applied: StoredRevision | undefined;
  private refused: { nack: NonNullable<NodeReport['nack']>; storedHead: string } | undefined;

  constructor(
    private readonly records: PolicyRecords,
    /** Called after each refusal. */
    private readonly onRefused: (revision: number, error: unknown) => void,
  ) {}

  /** Undefined before the first. */
  get catalogue(): CompiledCatalogue | undefined {
    return this.compiled;
  }

  /** Undefined before the first. */
  get stored(): StoredRevision | undefined {
    return this.applied;
  }

  /** 0 before the first. */
  get revision(): number {
    return this.applied?.head.revision ?? 0;
  }

  /** Why the newest revision is not in force; undefined when it is. */
  get nack(): NodeReport['nack'] | undefined {
    return this.refused?.nack;
  }

  /** Whether this head was neither put into force nor refused. */
  isNew(storedHead: string): boolean {
    return storedHead !== this.applied?.storedHead && storedHead !== this.refused?.storedHead;
  }

  /** The head under its seal; undefined where it is refused. */
  openHead(storedHead: string): Head | undefined {
    try {
      return this.records.head(storedHead);
    } catch (error) {
      // What it says of itself cannot be believed: it is told as what would come next.
      this.refuse(storedHead, this.revision + 1, error);
      return undefined;
    }
  }

  /**
   * Puts a revision into force; `commitTenants` puts the tenants' records of it into force, in the same turn, and is told
   * what was in force before.
   * @throws Error that says what cannot be used of it; then all is as it was
   */
  apply(next: StoredRevision, commitTenants?: (before: PastPolicy | undefined) => void): void {
    const { head, catalogueText } = next;
    const { compiled, revision } = this;
    if (catalogueText !== this.applied?.catalogueText)
      this.compiled = this.records.catalogue(head, catalogueText);
    commitTenants?.(compiled && { catalogue: compiled, revision });
    this.applied = next;
    this.refused = undefined;
  }

  refuse(storedHead: string, revision: number, error: unknown): void {
    const reason = shortReason(error instanceof Error ? error.message : String(error));
    this.refused = { nack: { revision, reason }, storedHead };
    this.onRefused(revision, error);
  }
}

/** A message that was lost is made good within this. */
const POLL_MS = 2000;

/** How often it is looked whether the policy has become too old to be told of. */
const CHECK_AGE_MS = 1000;

/** The part of the longest age by which what is on disk may seem older than what is in force. */
const UNSAVED_PART = 50;

/** Tries to have a tenant's record and the catalogue of one revision. */
const MAX_CATCH_UPS = 3;

export interface PolicyFeedOptions {
  source: Pick<PolicySource, 'poll' | 'readCatalogue' | 'readTenants' | 'subscribe'>;
  verifier: PolicyVerifier;
  /** Left out: nothing is kept on disk. */
  lastGood?: LastGoodFile;
  /** Nodes that live, kept on disk beside the policy; left out: not kept. */
  nodes?: () => number;
  /** Left out: {@link DEFAULT_MAX_STALE_MS}. */
  maxStaleMs?: number;
  /** Unix ms; left out: the process's clock. */
  nowMs?: () => number;
  /** Called after each change of revision or refusal of one. */
  onChange: () => void;
  /** Called at the start with the records that lay on disk, as they are stored. */
  onRestored?: (tenants: readonly (readonly [tenant: string, stored: string])[]) => void;
  /** Called when the policy becomes too old, and when it is no longer. */
  onStale: (isStale: boolean, ageMs: number) => void;
  /** Told of what went wrong and healed by itself. */
  onError: (message: string, error: unknown) => void;
}

/**
 * Keeps a node on the newest policy. Announcements say what changed; a poll finds what they missed; a revision that
 * cannot be used is refused with a reason and the last good one stays in force.
 */
export class PolicyFeed {
  readonly freshness: Freshness;
  private readonly records: PolicyRecords;
  private readonly tenants: TenantCache;
  private readonly refusals: TenantRefusals;
  private readonly announcements = new Announcements();
  private readonly keeper: LastGoodKeeper | undefined;
  private readonly nowMs: () => number;
  private readonly inForce: PolicyInForce;
  /** Whether it has been asked once what is newest: what comes later was published while this node ran. */
  private hasJoined = false;
  private latencyMs: number | null = null;
  private nodesOnDisk: number | undefined;
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
    this.inForce = new PolicyInForce(this.records, (revision, error) => {
      onError(`revision ${revision} refused`, error);
      options.onChange();
    });
    this.freshness = new Freshness({ maxStaleMs, nowMs: this.nowMs, onStale });
    this.refusals = new TenantRefusals({ onChange: () => options.onChange(), onError });
    this.tenants = new TenantCache({
      read: (tenants) => source.readTenants(tenants),
      open: (tenant, stored) => this.records.tenant(tenant, stored),
      revision: () => this.revision,
      onRefused: (tenant, reason) => this.refusals.note(tenant, reason),
      onKept: () => this.saveSoon(),
    });
    if (file !== undefined)
      this.keeper = new LastGoodKeeper({ file, content: () => this.lastGood(), onError });
  }

  /** The policy in force; undefined before the first. */
  get catalogue(): CompiledCatalogue | undefined {
    return this.inForce.catalogue;
  }

  /** Revision in force; 0 before the first. */
  get revision(): number {
    return this.inForce.revision;
  }

  /** From when on the policy in force is too old, unix ms. */
  get staleFromMs(): number {
    return this.freshness.staleFromMs;
  }

  /** Why the newest revision, or a tenant's newest record, is not in force; null when all is. */
  get nack(): NodeReport['nack'] {
    return this.inForce.nack ?? this.refusals.nack(this.revision);
  }

  /** Milliseconds from the relay's publication to enforcement here; null when it started with this revision. */
  get applyLatencyMs(): number | null {
    return this.latencyMs;
  }

  /** Nodes that lived when the policy was last kept on disk, by what was found there at the start. */
  get lastNodes(): number | undefined {
    return this.nodesOnDisk;
  }

  /** The tenant's record if it is here and current; null when there is no such tenant; undefined: load it. */
  findTenant(key: string): TenantRecord | null | undefined {
    const record = this.tenants.find(key);
    return record != null && record.revision > this.revision ? undefined : record;
  }

  /**
   * The tenant's record, read where it is not here. One of a later revision than the one in force brings that into force
   * first: a decision goes by one revision. @throws TollgateError `tenant-unavailable`
   */
  async loadTenant(key: string): Promise<TenantRecord | null> {
    for (let tries = 1; ; tries++) {
      const found = this.tenants.find(key);
      const record = found === undefined ? await this.tenants.load(key) : found;
      const { revision } = this;
      if (record === null || record.revision <= revision) return record;
      await this.refresh();
      // Nothing newer can be had. Of a tenant that was never seen, its record was written ahead of its revision, or the
      // link was lost in this moment: there is nothing else to go by.
      if (this.revision === revision || tries === MAX_CATCH_UPS) return this.tenants.goOn(key) ?? record;
    }
  }

  /** The policy that a record goes with where that is not the one in force. */
  pastOf(tenant: TenantRecord): PastPolicy | undefined {
    return this.tenants.pastOf(tenant);
  }

  /** Reads what is newest now, ahead of the poll. Never rejects. */
  refresh(): Promise<void> {
    // One change at a time, in order; a failure leaves the policy as it was and the poll to try again.
    this.queued ??= this.work
      .then(() => {
        this.queued = undefined;
        return this.synchronise();
      })
      .catch((error) => this.options.onError('cannot read policy', error));
    this.work = this.queued;
    return this.work;
  }

  /** Starts from disk; @returns whether there was a policy. */
  async restore(): Promise<boolean> {
    if (this.options.lastGood === undefined) return false;
    for await (const generation of this.options.lastGood.generations()) {
      const { head, catalogue, confirmation, nodes, tenants } = generation;
      try {
        this.apply({ head: this.records.head(head), storedHead: head, catalogueText: catalogue });
      } catch (error) {
        // A generation of another deployment, or of a version that says more than this one knows: so much for it.
        this.options.onError('the last good policy on disk is refused', error);
        continue;
      }
      this.tenants.restore(tenants);
      this.options.onRestored?.(tenants);
      this.nodesOnDisk = nodes ?? undefined;
      this.noteConfirmation(confirmation);
      return true;
    }
    return false;
  }

  /** Takes what is newest, and all that comes after it; where Redis cannot be asked, goes on trying. */
  async start(): Promise<void> {
    if (this.closed) return;
    this.unsubscribe = this.options.source.subscribe(
      (stored) => {
        const announcement = this.records.announcement(stored);
        if (announcement !== undefined && announcement.revision > this.revision)
          this.announcements.hear(announcement);
        // One that cannot be read says that something has changed, all the same.
        void this.refresh();
      },
      () => void this.refresh(),
    );
    this.ageTimer = setInterval(() => this.freshness.check(), CHECK_AGE_MS);
    this.ageTimer.unref();
    await this.refresh();
    this.schedulePoll();
  }

  /** Keeps what is in force on disk, soon. */
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

  private async synchronise(): Promise<void> {
    const { head, confirmation } = await this.options.source.poll();
    if (head !== null && this.inForce.isNew(head)) await this.take(head);
    this.hasJoined = true;
    this.noteConfirmation(confirmation);
  }

  /** Puts what is newest into force, or refuses it. @throws the errors of Redis */
  private async take(polledHead: string): Promise<void> {
    let storedHead = polledHead;
    let head = this.inForce.openHead(storedHead);
    if (head === undefined || head.revision <= this.revision) return;
    const { stored } = this.inForce;
    let catalogueText = stored?.catalogueText ?? '';
    if (head.catalogueHash !== stored?.head.catalogueHash) {
      const newest = await this.options.source.readCatalogue();
      if (newest === undefined) return;
      storedHead = newest.head;
      catalogueText = newest.catalogue;
      head = this.inForce.openHead(storedHead);
      if (head === undefined) return;
    }
    const changed = this.announcements.tenantsBetween(this.revision, head.revision);
    const commitTenants = await this.tenants.prepare(changed, head.revision);
    try {
      this.apply({ head, storedHead, catalogueText }, commitTenants);
    } catch (error) {
      this.inForce.refuse(storedHead, head.revision, error);
      return;
    }
    this.latencyMs = this.hasJoined ? Math.max(0, this.nowMs() - head.publishedAtMs) : null;
    this.saveSoon();
    this.options.onChange();
  }

  private apply(next: StoredRevision, commitTenants?: (before: PastPolicy | undefined) => void): void {
    this.inForce.apply(next, commitTenants);
    this.announcements.forgetUpTo(next.head.revision);
    this.freshness.confirmed(next.head.publishedAtMs);
  }

  private noteConfirmation(stored: string | null): void {
    if (stored === this.confirmation) return;
    const confirmation = this.records.confirmation(stored);
    // Of a later revision than the one in force, it says that this one is not the newest.
    if (confirmation === undefined || confirmation.revision > this.revision) return;
    this.confirmation = stored;
    this.freshness.confirmed(confirmation.atMs);
    this.freshness.check();
    const { maxStaleMs = DEFAULT_MAX_STALE_MS } = this.options;
    if (confirmation.atMs - this.confirmedOnDiskMs > maxStaleMs / UNSAVED_PART) this.saveSoon();
  }

  private lastGood(): LastGood | undefined {
    const { stored } = this.inForce;
    if (stored === undefined) return undefined;
    const { storedHead, catalogueText } = stored;
    this.confirmedOnDiskMs = this.freshness.lastConfirmedMs ?? 0;
    return {
      head: storedHead,
      catalogue: catalogueText,
      confirmation: this.confirmation,
      nodes: this.options.nodes?.() ?? null,
      tenants: this.tenants.stored(),
    };
  }
}
