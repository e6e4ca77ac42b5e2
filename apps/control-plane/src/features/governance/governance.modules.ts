import { Module } from '@nestjs/common';
import { ImpactSource } from '../../platform/changes/change.js';
import { CatalogueModule } from '../catalogue/index.js';
import { CommerceModule } from '../commerce/index.js';
import { CustomersModule } from '../customers/index.js';
import { RelayModule } from '../distribution/index.js';
import { AlertsModule, RecordingModule, UsageIngestModule, UsageModule } from '../usage/index.js';
import { AuditAlarm, AuditHeadsJob, AuditVerifyJob } from './audit/audit.jobs.js';
import { AuditRepository } from './audit/audit.repository.js';
import { AuditResolver } from './audit/audit.resolver.js';
import { AuditExport, AuditExportController } from './audit/audit-export.js';
import { AuditHeadsStore } from './audit/audit-heads.store.js';
import { AuditVerifier } from './audit/audit-verifier.js';
import { ChangeSetItemsService } from './change-sets/change-set-items.service.js';
import { ChangeSetTrial } from './change-sets/change-set-trial.js';
import { ChangeSetsRepository } from './change-sets/change-sets.repository.js';
import { ChangeSetsResolver } from './change-sets/change-sets.resolver.js';
import { ApplyChangeSetsJob, ChangeSetsService } from './change-sets/change-sets.service.js';
import { CommandInputs } from './change-sets/command-inputs.js';
import { ApiConfig, OfferConfig, TierConfig } from './config/catalogue-config.js';
import { ConfigResolver, ConfigService, ConfigSteps } from './config/config.service.js';
import { ConfigStateRepository } from './config/config-state.repository.js';
import { SubjectRuleConfig } from './config/subject-rule-config.js';
import { TenantConfig } from './config/tenant-config.js';
import { CounterReplays } from './explanations/counter-replays.js';
import { ExplanationsResolver, ExplanationsService } from './explanations/explanations.js';
import { GuardsRepository } from './guards/guards.repository.js';
import { GuardsResolver } from './guards/guards.resolver.js';
import { GuardsService, PublicationGuardsJob } from './guards/guards.service.js';
import { ImpactResolver, ImpactService } from './impact/impact.js';
import { ImpactRepository } from './impact/impact.repository.js';
import { PastEffectsResolver, PastEffectsService } from './past-effects/past-effects.js';
import { PastEffectsRepository } from './past-effects/past-effects.repository.js';
import { RecordedChangesRepository } from './reverts/reverts.repository.js';
import { LimitLadderService } from './revisions/limit-ladder.service.js';
import { RevisionHistoryRepository, RollbackRepository } from './revisions/revisions.repository.js';
import { RevisionsResolver } from './revisions/revisions.resolver.js';
import { RevisionsService } from './revisions/revisions.service.js';
import { PolicyRestoration, RollbackService, RuleRestoration } from './revisions/rollback.service.js';
import { DraftPolicies } from './simulations/draft-policies.js';
import { QuotaUsage } from './simulations/quota-usage.js';
import { RecordedPolicies } from './simulations/recorded-policies.js';
import { ForgetSimulationsJob, SimulationsJob } from './simulations/simulations.jobs.js';
import { SimulationsRepository } from './simulations/simulations.repository.js';
import { SimulationStreamResolver, SimulationsResolver } from './simulations/simulations.resolver.js';
import { SimulationsService } from './simulations/simulations.service.js';

@Module({
  controllers: [AuditExportController],
  providers: [AuditRepository, AuditResolver, AuditHeadsStore, AuditVerifier, AuditExport],
  exports: [AuditRepository],
})
export class AuditModule {}

/** Signs the heads of chains and verifies them daily. */
@Module({
  providers: [AuditRepository, AuditHeadsStore, AuditVerifier, AuditAlarm, AuditHeadsJob, AuditVerifyJob],
  exports: [AuditVerifier, AuditHeadsStore, AuditHeadsJob],
})
export class AuditJobsModule {}

const PROVIDERS = [ChangeSetsRepository, ChangeSetTrial, ChangeSetsService, CommandInputs];

/** Change sets; the imported features register the commands. */
@Module({
  imports: [CatalogueModule, CustomersModule, CommerceModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class ChangeSetStepsModule {}

/** Change sets in the GraphQL API. */
@Module({
  imports: [ChangeSetStepsModule],
  providers: [ChangeSetItemsService, ChangeSetsResolver],
})
export class ChangeSetsModule {}

@Module({ imports: [ChangeSetStepsModule], providers: [ApplyChangeSetsJob] })
export class ChangeSetsWorkerModule {}

@Module({
  imports: [CatalogueModule, CommerceModule, CustomersModule, AlertsModule, RelayModule],
  providers: [
    ConfigStateRepository,
    ApiConfig,
    TierConfig,
    OfferConfig,
    SubjectRuleConfig,
    TenantConfig,
    ConfigSteps,
    ConfigService,
    ConfigResolver,
  ],
  exports: [ConfigService],
})
export class ConfigDocumentModule {}

@Module({
  imports: [RelayModule],
  providers: [ImpactRepository, ImpactResolver, { provide: ImpactSource, useClass: ImpactService }],
})
export class ImpactModule {}

/** Published revisions, their differences and rollbacks. */
@Module({
  imports: [RelayModule, CatalogueModule, CustomersModule],
  providers: [
    RevisionHistoryRepository,
    RevisionsService,
    LimitLadderService,
    RevisionsResolver,
    RollbackRepository,
    PolicyRestoration,
    RuleRestoration,
    RollbackService,
  ],
  exports: [LimitLadderService],
})
export class RevisionsModule {}

/** Explanations of past decisions. */
@Module({
  imports: [RevisionsModule, UsageModule, CustomersModule, RecordingModule],
  providers: [CounterReplays, ExplanationsService, ExplanationsResolver],
})
export class ExplanationsModule {}

/** Past effects of purchases. */
@Module({
  imports: [CustomersModule, UsageModule],
  providers: [PastEffectsRepository, PastEffectsService, PastEffectsResolver],
})
export class PastEffectsModule {}

@Module({
  imports: [CatalogueModule, RelayModule, UsageIngestModule],
  providers: [GuardsRepository, GuardsService, RecordedChangesRepository],
  exports: [GuardsRepository, GuardsService],
})
class GuardStepsModule {}

/** Guards of publications in the GraphQL API. */
@Module({ imports: [GuardStepsModule], providers: [GuardsResolver] })
export class GuardsModule {}

@Module({ imports: [GuardStepsModule], providers: [PublicationGuardsJob] })
export class GuardsWorkerModule {}

/** Replays of recorded traffic by drafts in the GraphQL API. */
@Module({
  imports: [ChangeSetStepsModule, ConfigDocumentModule, RelayModule, RecordingModule, CommerceModule],
  providers: [
    SimulationsRepository,
    DraftPolicies,
    SimulationsService,
    SimulationsResolver,
    SimulationStreamResolver,
  ],
})
export class SimulationsModule {}

@Module({
  imports: [RelayModule, RecordingModule],
  providers: [SimulationsRepository, RecordedPolicies, QuotaUsage, SimulationsJob, ForgetSimulationsJob],
})
export class SimulationsWorkerModule {}
