import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Catalogue, Head } from '@tollgate/contracts';
import {
  type HeadReading,
  PolicyPublisher,
  serializeCatalogue,
  type TenantChange,
} from '@tollgate/decision-plane/operate';
import { Worker } from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import {
  KEPT_JOBS,
  logErrors,
  POLICY_QUEUE,
  PolicyQueue,
  PUBLISH_JOB,
  RelayTrigger,
  workerOptions,
} from '../../platform/jobs/queues.js';
import { Log } from '../../platform/log.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { Tx } from '../../platform/prisma/database.js';
import { RedisConnections } from '../../platform/redis.js';
import { runInScope } from '../../platform/tenant-scope.js';
import { compileCatalogue } from './catalogue.js';
import { PolicyRepository, TENANT_PAGE } from './policy.repository.js';
import { OutboxRepository, type PendingChanges, RevisionsRepository } from './revisions.repository.js';

/** Above this number of changed tenants, an announcement makes nodes drop all tenant records. */
const MAX_ANNOUNCED = 500;

/** Collects the keys of tenants for the announcement while their pages are written. */
export class AnnouncedTenants implements AsyncIterable<readonly TenantChange[]> {
  private readonly keys: string[] = [];
  private written = 0;

  /** @param isComplete whether the pages contain exactly the changed tenants */
  constructor(
    private readonly pages: AsyncIterable<TenantChange[]> | Iterable<TenantChange[]>,
    private readonly isComplete: boolean,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly TenantChange[], void> {
    for await (const page of this.pages) {
      this.written += page.filter(({ record }) => record !== null).length;
      if (this.keys.length <= MAX_ANNOUNCED) this.keys.push(...page.map(({ tenant }) => tenant));
      yield page;
    }
  }

  get count(): number {
    return this.written;
  }

  /** Null if they are too many or unknown. Complete once all pages are read. */
  get names(): string[] | null {
    return this.isComplete && this.keys.length <= MAX_ANNOUNCED ? this.keys : null;
  }
}

/** Interval of confirmations that the current revision is the newest. */
const CONFIRM_EVERY_MS = 10_000;

export type RelayResult = { published: false } | { published: true; revision: number; cause: Cause };

type Cause = 'change' | 'reconcile';

interface Compiled {
  readonly catalogue: Catalogue;
  readonly catalogueText: string;
  readonly catalogueHash: string;
  readonly catalogueChanged: boolean;
  readonly tenantKeys: readonly string[] | 'all';
  readonly tenants: AsyncIterable<TenantChange[]> | Iterable<TenantChange[]>;
  readonly pending: Pick<PendingChanges, 'eventIds' | 'changeIds'>;
}

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
   * Publishes pending changes, or everything if Redis and Postgres have different revisions. One relay runs at a time.
   * After a failure, the next run publishes the same changes under a new revision.
   */
  async run(): Promise<RelayResult> {
    const found = await this.publisher.readHead();
    if ((await this.findCause(found.head)) === undefined) {
      await this.confirm(found.head);
      return { published: false };
    }
    return this.outbox.exclusively(async (tx) => {
      // Another relay may have published while this one waited for the lock.
      const over = await this.publisher.readHead();
      const cause = await this.findCause(over.head);
      return cause === undefined ? { published: false } : this.publish(tx, cause, over);
    });
  }

  private async findCause(head: Head | undefined): Promise<Cause | undefined> {
    const newest = await this.revisions.findNewest();
    // Redis is behind if it was emptied or restored, or its head has no valid seal. It is ahead if Postgres was restored, or a
    // publication was not recorded.
    if (head === undefined || head.revision !== newest?.number) return 'reconcile';
    return (await this.outbox.hasPending()) ? 'change' : undefined;
  }

  private async confirm(head: Head | undefined): Promise<void> {
    const atMs = Date.now();
    if (head === undefined || atMs - this.confirmedAtMs < CONFIRM_EVERY_MS) return;
    await this.publisher.confirm({ revision: head.revision, atMs });
    this.confirmedAtMs = atMs;
  }

  private async publish(tx: Tx, cause: Cause, previous: HeadReading): Promise<RelayResult> {
    const startedMs = Date.now();
    const revision = await this.revisions.next(tx, previous.head?.revision ?? 0);
    const isCatalogueOnly = await this.outbox.inSnapshot(async (view) => {
      const base = cause === 'change' ? previous.head : undefined;
      const { compiled, isCatalogueOnly } = await this.compile(view, revision, base);
      await this.revisions.recordTenants(view, revision, compiled.tenantKeys);
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
        over: previous,
        ...(catalogueChanged ? { catalogue } : {}),
        tenants: announced,
        announcement: () => ({
          revision,
          previous: previous.head?.revision ?? 0,
          catalogueChanged,
          tenants: announced.names,
        }),
      });
      // Another writer replaced the head: the next run starts from it.
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
      return isCatalogueOnly;
    });
    return isCatalogueOnly
      ? this.publish(tx, cause, await this.publisher.readHead())
      : { published: true, revision, cause };
  }

  /**
   * Compiles from one snapshot. A catalogue equal to that of `base` keeps its revision; without `base`, everything is
   * written. Records of several pages become visible before their revision and may refer to a new tier version: the
   * catalogue is then published first, and `isCatalogueOnly` is true.
   */
  private async compile(
    view: Tx,
    revision: number,
    base: Head | undefined,
  ): Promise<{ compiled: Compiled; isCatalogueOnly: boolean }> {
    const pending = await this.outbox.listPending(view);
    const rows = {
      apis: await this.policy.listApis(view),
      tiers: await this.policy.listTiers(view),
      serviceTokens: await this.policy.listServiceTokens(view),
      subjectRules: await this.policy.listPlatformRules(view),
    };
    const unchanged = base && compileCatalogue(base.catalogueRevision, rows);
    const isSame = unchanged !== undefined && serializeCatalogue(unchanged).hash === base?.catalogueHash;
    const catalogue = isSame ? unchanged : compileCatalogue(revision, rows);
    const { text: catalogueText, hash: catalogueHash } = serializeCatalogue(catalogue);
    const compiled = { catalogue, catalogueText, catalogueHash, catalogueChanged: !isSame };
    if (base !== undefined && !isSame && pending.tenants.length > TENANT_PAGE) {
      return {
        compiled: { ...compiled, tenantKeys: [], tenants: [], pending: { eventIds: [], changeIds: [] } },
        isCatalogueOnly: true,
      };
    }
    const tenantKeys = base === undefined ? 'all' : pending.tenants;
    const tenants = this.policy.listTenantPages(view, tenantKeys, revision);
    return { compiled: { ...compiled, tenantKeys, tenants, pending }, isCatalogueOnly: false };
  }
}

const SCHEDULER = 'publish-pending';
const EVERY_MS = 1000;
const CHECK_EVERY_MS = 2000;

/**
 * Runs the relay every second, so that changes are published without their trigger and an emptied Redis is filled.
 * Restores the schedule.
 */
@Injectable()
export class RelaySchedule implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: PolicyQueue,
    private readonly trigger: RelayTrigger,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const check = () => {
      this.checking = this.ensure();
    };
    check();
    void this.trigger.fire();
    this.timer = setInterval(check, CHECK_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  private async ensure(): Promise<void> {
    try {
      this.queue.requireConnection();
      if ((await this.queue.getJobScheduler(SCHEDULER)) !== undefined) return;
      await this.queue.upsertJobScheduler(
        SCHEDULER,
        { every: EVERY_MS },
        { name: PUBLISH_JOB, opts: KEPT_JOBS },
      );
    } catch (error) {
      this.log.debug({ error: String(error) }, 'relay schedule check failed');
    }
  }
}

/** Jobs publish all pending changes, so they may be lost, repeated or merged. */
@Injectable()
export class PublishPolicyProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private worker: Worker | undefined;

  constructor(
    private readonly relay: RelayService,
    private readonly redis: RedisConnections,
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.worker = new Worker(
      POLICY_QUEUE,
      () => runInScope('all', () => this.relay.run(), { job: PUBLISH_JOB }),
      workerOptions(this.config),
    );
    logErrors(this.worker, this.log);
    this.worker.on('failed', (_job, error) => {
      this.metrics.relayFailures.inc();
      this.log.warn({ err: error }, 'policy publication failed');
    });
  }

  /** Finishes a running publication before connections close. Without Redis, BullMQ would wait forever. */
  async onModuleDestroy(): Promise<void> {
    const isAvailable = await this.redis.ping().then(
      () => true,
      () => false,
    );
    await this.worker?.close(!isAvailable);
  }
}
