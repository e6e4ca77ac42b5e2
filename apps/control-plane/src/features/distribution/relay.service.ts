import { Injectable } from '@nestjs/common';
import { type Catalogue, type Head } from '@tollgate/contracts';
import {
  type HeadReading,
  PolicyPublisher,
  serializeCatalogue,
  type TenantChange,
} from '@tollgate/decision-plane/internals';
import { Log } from '../../platform/logging/log.js';
import { type Tx } from '../../platform/prisma/database.js';
import { compileCatalogue } from './catalogue.js';
import { OutboxRepository, type PendingChanges } from './outbox.repository.js';
import { PolicyRepository, TENANT_PAGE } from './policy.repository.js';
import { RevisionsRepository } from './revisions.repository.js';

/** Above this many changed tenants, nodes are told to drop all tenant records instead of a list of them. */
const MAX_NAMED = 500;

/** Passes pages of tenants on, and remembers what has to be said of them. */
export class AnnouncedTenants implements AsyncIterable<readonly TenantChange[]> {
  private readonly named: string[] = [];
  private present = 0;

  /** @param isKnown the tenants are all that changed */
  constructor(
    private readonly pages: AsyncIterable<TenantChange[]> | Iterable<TenantChange[]>,
    private readonly isKnown: boolean,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly TenantChange[], void> {
    for await (const page of this.pages) {
      this.present += page.filter(({ record }) => record !== null).length;
      if (this.named.length <= MAX_NAMED) this.named.push(...page.map(({ tenant }) => tenant));
      yield page;
    }
  }

  /** Records that were written. */
  get count(): number {
    return this.present;
  }

  /** The tenants that changed; null: too many to name, or not known. Complete when all pages are read. */
  get names(): string[] | null {
    return this.isKnown && this.named.length <= MAX_NAMED ? this.named : null;
  }
}

/** How often nodes are told that what they have is still the newest. */
const CONFIRM_EVERY_MS = 10_000;

/** What one pass of the relay did. */
export type RelayResult = { published: false } | { published: true; revision: number; cause: Cause };

type Cause = 'change' | 'reconcile';

/** What is to be published under one revision, from one view of the database. */
interface Compiled {
  readonly catalogue: Catalogue;
  readonly catalogueText: string;
  readonly catalogueHash: string;
  readonly catalogueChanged: boolean;
  readonly tenants: AsyncIterable<TenantChange[]> | Iterable<TenantChange[]>;
  readonly pending: Pick<PendingChanges, 'eventIds' | 'changeIds'>;
}

/** Publishes committed changes of policy to nodes. */
@Injectable()
export class RelayService {
  private confirmedAtMs = 0;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly revisions: RevisionsRepository,
    private readonly policy: PolicyRepository,
    private readonly publisher: PolicyPublisher,
    private readonly log: Log,
  ) {}

  /**
   * Publishes what is pending; publishes everything when Redis and Postgres do not agree on the newest revision. One relay
   * at a time, over all processes. When anything fails nothing is marked, and the next pass does it again under a new revision.
   */
  async run(): Promise<RelayResult> {
    const found = await this.publisher.readHead();
    if ((await this.findCause(found.head)) === undefined) {
      await this.confirm(found.head);
      return { published: false };
    }
    return this.outbox.exclusively(async (tx) => {
      // Read again: another relay may have done it while this one waited for the lock.
      const over = await this.publisher.readHead();
      const cause = await this.findCause(over.head);
      return cause === undefined ? { published: false } : this.publish(tx, cause, over);
    });
  }

  private async findCause(head: Head | undefined): Promise<Cause | undefined> {
    const newest = await this.revisions.newest();
    // Behind: Redis was emptied or restored, or its head is not ours. Ahead: Postgres was restored, or a publication could
    // not be recorded.
    if (head === undefined || head.revision !== newest?.number) return 'reconcile';
    return (await this.outbox.hasPending()) ? 'change' : undefined;
  }

  private async confirm(head: Head | undefined): Promise<void> {
    const atMs = Date.now();
    if (head === undefined || atMs - this.confirmedAtMs < CONFIRM_EVERY_MS) return;
    await this.publisher.confirm({ revision: head.revision, atMs });
    this.confirmedAtMs = atMs;
  }

  private async publish(tx: Tx, cause: Cause, over: HeadReading): Promise<RelayResult> {
    const startedMs = Date.now();
    const revision = await this.revisions.next(tx, over.head?.revision ?? 0);
    const isPart = await this.outbox.inSnapshot(async (view) => {
      const base = cause === 'change' ? over.head : undefined;
      const { compiled, isPart } = await this.compile(view, revision, base);
      const announced = new AnnouncedTenants(compiled.tenants, cause === 'change');
      const head: Head = {
        revision,
        catalogueRevision: compiled.catalogue.revision,
        catalogueHash: compiled.catalogueHash,
        publishedAtMs: Date.now(),
      };
      const { catalogue, catalogueChanged } = compiled;
      const result = await this.publisher.publish({
        head,
        over,
        ...(catalogueChanged ? { catalogue } : {}),
        tenants: announced,
        announcement: () => ({
          revision,
          previous: over.head?.revision ?? 0,
          catalogueChanged,
          tenants: announced.names,
        }),
      });
      // Somebody else has written the head since: the next pass starts from theirs.
      if (result === 'superseded') throw new Error(`Revision ${revision} was superseded in Redis`);
      await this.revisions.record(tx, {
        number: revision,
        catalogueRevision: head.catalogueRevision,
        catalogueHash: head.catalogueHash,
        cause,
        tenantCount: announced.count,
        publishedAt: new Date(head.publishedAtMs),
        ...(catalogueChanged ? { catalogueText: compiled.catalogueText } : {}),
        changeIds: compiled.pending.changeIds,
        eventIds: compiled.pending.eventIds,
      });
      const tookMs = Date.now() - startedMs;
      this.log.info(
        { revision, cause, catalogueChanged, tenants: announced.count, tookMs },
        'policy published',
      );
      return isPart;
    });
    return isPart
      ? this.publish(tx, cause, await this.publisher.readHead())
      : { published: true, revision, cause };
  }

  /**
   * Compiles from one view of the database. When the catalogue says what `base` says already, it keeps that revision;
   * without `base` it is new, and so are all tenant records.
   *
   * More tenants than are switched in one go become visible before their revision does. They may be on a tier version that
   * is new in it too: then the catalogue goes ahead, as a revision of its own, and is only part of what there is.
   */
  private async compile(
    view: Tx,
    revision: number,
    base: Head | undefined,
  ): Promise<{ compiled: Compiled; isPart: boolean }> {
    const pending = await this.outbox.listPending(view);
    const rows = {
      apis: await this.policy.listApis(view),
      tiers: await this.policy.listTiers(view),
      serviceTokens: await this.policy.listServiceTokens(view),
    };
    const unchanged = base && compileCatalogue(base.catalogueRevision, rows);
    const isSame = unchanged !== undefined && serializeCatalogue(unchanged).hash === base?.catalogueHash;
    const catalogue = isSame ? unchanged : compileCatalogue(revision, rows);
    const { text: catalogueText, hash: catalogueHash } = serializeCatalogue(catalogue);
    const compiled = { catalogue, catalogueText, catalogueHash, catalogueChanged: !isSame };
    if (base !== undefined && !isSame && pending.tenants.length > TENANT_PAGE) {
      return {
        compiled: { ...compiled, tenants: [], pending: { eventIds: [], changeIds: [] } },
        isPart: true,
      };
    }
    const keys = base === undefined ? 'all' : pending.tenants;
    const tenants = this.policy.listTenantPages(view, keys, revision);
    return { compiled: { ...compiled, tenants, pending }, isPart: false };
  }
}
