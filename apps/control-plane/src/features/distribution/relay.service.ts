import { Injectable } from '@nestjs/common';
import type { Catalogue, Head, TenantRecord } from '@tollgate/contracts';
import { PolicyPublisher, serializeCatalogue } from '@tollgate/decision-plane';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../../platform/logging/log.js';
import type { Tx } from '../../platform/prisma/database.js';
import { compileCatalogue } from './catalogue.js';
import { OutboxRepository } from './outbox.repository.js';
import { PolicyRepository } from './policy.repository.js';

/** Above this many changed tenants, nodes are told to drop all tenant records instead of a list of them. */
const MAX_ANNOUNCED_TENANTS = 500;

/** What one pass of the relay did. */
export type RelayResult = { published: false } | { published: true; revision: number; cause: Cause };

type Cause = 'change' | 'reconcile';

interface Compiled {
  catalogue: Catalogue;
  tenants: TenantRecord[];
  removedTenants: string[];
  /** The changes that are in it. */
  eventIds: bigint[];
}

/** Publishes committed changes of policy to nodes. */
@Injectable()
export class RelayService {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly policy: PolicyRepository,
    private readonly publisher: PolicyPublisher,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {}

  /**
   * Publishes what is pending; publishes everything when Redis and Postgres do not agree on the newest revision. One relay
   * at a time, over all processes. When anything fails nothing is marked, and the next pass does it again under a new revision.
   */
  async run(): Promise<RelayResult> {
    if ((await this.findCause(await this.publisher.readHead())) === undefined) return { published: false };
    return this.outbox.exclusively(async (tx) => {
      // Read again: another relay may have done it while this one waited for the lock.
      const head = await this.publisher.readHead();
      const cause = await this.findCause(head);
      if (cause === undefined) return { published: false };
      return this.publish(tx, cause, head);
    });
  }

  private async findCause(head: Head | undefined): Promise<Cause | undefined> {
    const newest = await this.outbox.newestRevision();
    // Behind: Redis was emptied or restored. Ahead: Postgres was restored, or a publication could not be recorded.
    if (head === undefined || head.revision !== newest?.number) return 'reconcile';
    return (await this.outbox.hasPending()) ? 'change' : undefined;
  }

  private async publish(tx: Tx, cause: Cause, head: Head | undefined): Promise<RelayResult> {
    const startedMs = Date.now();
    const revision = await this.outbox.nextRevision(tx, head?.revision ?? 0);
    const base = cause === 'change' ? head : undefined;
    const compiled = await this.compile(revision, base);
    const { catalogue, tenants, removedTenants, eventIds } = compiled;
    const catalogueChanged = catalogue.revision === revision;
    const next: Head = {
      revision,
      catalogueRevision: catalogue.revision,
      catalogueHash: serializeCatalogue(catalogue).hash,
      publishedAtMs: Date.now(),
    };
    const touched = [...tenants.map((record) => record.tenant), ...removedTenants];
    const nameable = cause === 'change' && touched.length <= MAX_ANNOUNCED_TENANTS;
    const result = await this.publisher.publish({
      head: next,
      ...(catalogueChanged ? { catalogue } : {}),
      tenants,
      removedTenants,
      announcement: {
        revision,
        previous: head?.revision ?? 0,
        catalogueChanged,
        tenants: nameable ? touched : null,
      },
    });
    // Only a Redis that got ahead of Postgres refuses; the next pass starts above its head.
    if (result === 'superseded') throw new Error(`Revision ${revision} was superseded in Redis`);
    const record = {
      number: revision,
      catalogueRevision: next.catalogueRevision,
      catalogueHash: next.catalogueHash,
      cause,
      tenantCount: tenants.length,
      publishedAt: new Date(next.publishedAtMs),
    };
    await this.outbox.recordRevision(tx, record, eventIds);
    const tookMs = Date.now() - startedMs;
    this.log.info({ revision, cause, catalogueChanged, tenants: tenants.length, tookMs }, 'policy published');
    return { published: true, revision, cause };
  }

  /**
   * Compiles from one view of the database. When the catalogue says what `base` says already, it keeps that revision;
   * without `base` it is new, and so are all tenant records.
   */
  private compile(revision: number, base: Head | undefined): Promise<Compiled> {
    return this.outbox.inSnapshot(async (tx) => {
      const pending = await this.outbox.listPending(tx);
      const rows = {
        apis: await this.policy.listApis(tx),
        tiers: await this.policy.listTiers(tx),
        serviceTokens: await this.policy.listServiceTokens(tx, this.config.tokenPepperVersion),
      };
      const unchanged = base && compileCatalogue(base.catalogueRevision, rows);
      const isSame = unchanged !== undefined && serializeCatalogue(unchanged).hash === base?.catalogueHash;
      const catalogue = isSame ? unchanged : compileCatalogue(revision, rows);
      if (base === undefined) {
        const tenants = await this.policy.listTenants(tx, 'all', revision);
        return { catalogue, tenants, removedTenants: [], eventIds: pending.eventIds };
      }
      const tenants = await this.policy.listTenants(tx, pending.tenants, revision);
      const present = new Set(tenants.map((record) => record.tenant));
      const removedTenants = pending.tenants.filter((key) => !present.has(key));
      return { catalogue, tenants, removedTenants, eventIds: pending.eventIds };
    });
  }
}
