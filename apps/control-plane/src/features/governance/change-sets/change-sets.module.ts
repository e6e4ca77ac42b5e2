import { Module } from '@nestjs/common';
import { ApisModule, TiersModule } from '../../catalogue/index.js';
import { OffersModule } from '../../commerce/index.js';
import { EntitlementsModule, OverridesModule, TenantsModule } from '../../customers/index.js';
import { ChangeSetItemsService } from './change-set-items.service.js';
import { ChangeSetTrial } from './change-set-trial.js';
import { ChangeSetsRepository } from './change-sets.repository.js';
import { ChangeSetsResolver } from './change-sets.resolver.js';
import { ApplyChangeSetsJob, ChangeSetsService } from './change-sets.service.js';

const PROVIDERS = [ChangeSetsRepository, ChangeSetTrial, ChangeSetsService];

/** Change sets; the imported features register the commands. */
@Module({
  imports: [ApisModule, TiersModule, TenantsModule, EntitlementsModule, OverridesModule, OffersModule],
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

/** Applies scheduled sets. */
@Module({ imports: [ChangeSetStepsModule], providers: [ApplyChangeSetsJob] })
export class ChangeSetsWorkerModule {}
