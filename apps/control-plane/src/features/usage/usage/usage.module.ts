import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { ApiKeysModule } from '../../identity/index.js';
import { FrameStore } from './ingest/frame-store.js';
import { LimitEventsRepository } from './ingest/limit-events.repository.js';
import { SeriesDictionary } from './ingest/series-dictionary.js';
import { StreamPositionsRepository } from './ingest/stream-positions.repository.js';
import { StreamReader } from './ingest/stream-reader.js';
import { TenantDirectory } from './ingest/tenant-directory.js';
import { UsageCountsRepository } from './ingest/usage-counts.repository.js';
import { UsageIngest } from './ingest/usage-ingest.js';
import { CheckpointsRepository } from './journal/checkpoints.repository.js';
import { JournalIngest } from './journal/journal-ingest.js';
import { QuotaPutBack, QuotaSweep } from './journal/quota-backup.js';
import { SamplesRepository } from './journal/samples.repository.js';
import { SubjectHash } from './journal/subject-hash.js';
import { DecisionsResolver } from './query/decisions.resolver.js';
import { DecisionsService } from './query/decisions.service.js';
import { DiscoveredOperationsRepository } from './query/discovered-operations.repository.js';
import { DiscoveredOperationsResolver } from './query/discovered-operations.resolver.js';
import { DiscoveredOperationsService } from './query/discovered-operations.service.js';
import { LimitCrossingsService } from './query/limit-crossings.service.js';
import { RunningOutService } from './query/running-out.service.js';
import { UsageRepository } from './query/usage.repository.js';
import { UsageResolver } from './query/usage.resolver.js';
import { UsageService } from './query/usage.service.js';
import { UsageSummaryService } from './query/usage-summary.service.js';
import { UsageTopResolver } from './query/usage-top.resolver.js';
import { UsageTopService } from './query/usage-top.service.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { UsageRetention } from './retention/usage-retention.js';

/** Brings what nodes tell into Postgres, without anything that starts it. */
@Module({
  imports: [ApiKeysModule],
  providers: [
    StreamPositionsRepository,
    StreamReader,
    TenantDirectory,
    SeriesDictionary,
    UsageCountsRepository,
    LimitEventsRepository,
    FrameStore,
    UsageIngest,
  ],
  exports: [StreamReader, TenantDirectory, UsageIngest],
})
export class UsageIngestModule {}

/** What a process needs that runs the jobs of usage. */
@Module({
  imports: [UsageIngestModule],
  providers: [
    SubjectHash,
    SamplesRepository,
    CheckpointsRepository,
    JournalIngest,
    QuotaPutBack,
    QuotaSweep,
    RetentionRepository,
    UsageRetention,
  ],
})
export class UsageWorkerModule {}

/** Usage for the GraphQL door. */
@Module({
  imports: [TenantsModule],
  providers: [
    UsageRepository,
    UsageService,
    UsageSummaryService,
    UsageTopService,
    RunningOutService,
    LimitCrossingsService,
    SubjectHash,
    SamplesRepository,
    DecisionsService,
    DiscoveredOperationsRepository,
    DiscoveredOperationsService,
    DiscoveredOperationsResolver,
    UsageResolver,
    UsageTopResolver,
    DecisionsResolver,
  ],
})
export class UsageModule {}
