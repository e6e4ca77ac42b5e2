import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { CustomersModule } from '../customers/index.js';
import { ApiKeysModule, SignInModule } from '../identity/index.js';
import { AlertsResolver, AlertsService } from './alerts/alerts.js';
import { AlertsRepository } from './alerts/alerts.repository.js';
import { UsageExport } from './export/usage-export.js';
import { LimitEventsRepository, LimitPeaksRepository } from './ingest/limit-events.repository.js';
import { SeriesIds, TenantDirectory } from './ingest/series-ids.js';
import { StreamReader } from './ingest/stream-reader.js';
import { StreamPositionsRepository, UsageCountsRepository } from './ingest/usage-counts.repository.js';
import { UsageFrameWriter, UsageIngest } from './ingest/usage-ingest.js';
import { JournalIngest, QuotaPutBack, QuotaSweep } from './journal/journal.jobs.js';
import { CheckpointsRepository, SamplesRepository, SubjectHash } from './journal/journal.repository.js';
import { LiveFeed } from './live/live-feed.js';
import { DecisionSecondResolver, UsageTickResolver } from './live/usage-tick.resolver.js';
import { CandidatesResolver, CandidatesService } from './query/candidates.js';
import { CandidatesRepository } from './query/candidates.repository.js';
import { DecisionsService } from './query/decisions.service.js';
import {
  DiscoveredOperationsResolver,
  DiscoveredOperationsService,
} from './query/discovered-operations.resolver.js';
import { LimitHistoryService } from './query/limit-history.service.js';
import { TrafficResolver, TrafficService } from './query/traffic.js';
import { DiscoveredOperationsRepository, UsageRepository } from './query/usage.repository.js';
import { DecisionsResolver, UsageResolver, UsageTopResolver } from './query/usage.resolver.js';
import { LimitCrossingsService, UsageService, UsageTopService } from './query/usage.service.js';
import { TrafficBlocksRepository } from './recording/traffic-blocks.repository.js';
import { TrafficIngest } from './recording/traffic-ingest.js';
import { TrafficSourcesRepository } from './recording/traffic-sources.repository.js';
import { TrafficMerge, TrafficRetention } from './recording/traffic-upkeep.js';
import { UsageRetention } from './retention/retention.job.js';
import { RetentionRepository } from './retention/retention.repository.js';
import { QuotaRolloverJob } from './rollover/rollover.job.js';
import { RolloversRepository } from './rollover/rollovers.repository.js';
import { TopUpCarryJob } from './rollover/top-up-carry.job.js';
import { TestRequestsResolver, TestRequestsService } from './test-requests/test-requests.js';
import { UtilizationRepository } from './utilization/utilization.repository.js';
import { UtilizationResolver } from './utilization/utilization.resolver.js';
import { UtilizationJob, UtilizationService } from './utilization/utilization.service.js';
import { WidgetController, WidgetResolver, WidgetTokens, WidgetUsage } from './widget/widget.js';

/** Ingestion of usage frames, without jobs. */
@Module({
  imports: [ApiKeysModule],
  providers: [
    StreamPositionsRepository,
    StreamReader,
    TenantDirectory,
    SeriesIds,
    UsageCountsRepository,
    LimitEventsRepository,
    LimitPeaksRepository,
    UsageFrameWriter,
    UsageIngest,
  ],
  exports: [StreamPositionsRepository, StreamReader, TenantDirectory, UsageIngest],
})
export class UsageIngestModule {}

/** Recorded traffic of nodes. */
@Module({
  providers: [TrafficBlocksRepository, SubjectHash],
  exports: [TrafficBlocksRepository, SubjectHash],
})
export class RecordingModule {}

/** Jobs of usage. */
@Module({
  imports: [UsageIngestModule, RecordingModule, CatalogueModule, CustomersModule],
  providers: [
    SamplesRepository,
    CheckpointsRepository,
    JournalIngest,
    QuotaPutBack,
    QuotaSweep,
    RetentionRepository,
    UsageRetention,
    UsageExport,
    UtilizationRepository,
    UtilizationJob,
    TrafficSourcesRepository,
    TrafficIngest,
    TrafficMerge,
    TrafficRetention,
    RolloversRepository,
    QuotaRolloverJob,
    TopUpCarryJob,
  ],
  exports: [JournalIngest],
})
export class UsageWorkerModule {}

/** Usage in the GraphQL API. */
@Module({
  imports: [CustomersModule, CatalogueModule, SignInModule],
  providers: [
    UsageRepository,
    LimitHistoryService,
    CandidatesRepository,
    CandidatesService,
    CandidatesResolver,
    UsageService,
    UsageTopService,
    LimitCrossingsService,
    SubjectHash,
    SamplesRepository,
    DecisionsService,
    DiscoveredOperationsRepository,
    DiscoveredOperationsService,
    DiscoveredOperationsResolver,
    UsageResolver,
    UsageTopResolver,
    TrafficService,
    TrafficResolver,
    UtilizationRepository,
    UtilizationService,
    UtilizationResolver,
    DecisionsResolver,
    TestRequestsService,
    TestRequestsResolver,
    WidgetTokens,
    WidgetUsage,
    WidgetResolver,
  ],
  controllers: [WidgetController],
  exports: [DecisionsService, UsageRepository],
})
export class UsageModule {}

@Module({ providers: [LiveFeed, UsageTickResolver, DecisionSecondResolver] })
export class LiveModule {}

@Module({
  imports: [CustomersModule],
  providers: [AlertsRepository, AlertsService, AlertsResolver],
  exports: [AlertsService],
})
export class AlertsModule {}
