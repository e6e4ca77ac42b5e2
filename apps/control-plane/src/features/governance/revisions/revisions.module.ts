import { Module } from '@nestjs/common';
import { ApisModule, TiersModule } from '../../catalogue/index.js';
import { TenantsModule } from '../../customers/index.js';
import { RelayModule } from '../../distribution/index.js';
import { LimitLadderService } from './limit-ladder.service.js';
import { RevisionHistoryRepository, RollbackRepository } from './revisions.repository.js';
import { RevisionsResolver } from './revisions.resolver.js';
import { RevisionsService } from './revisions.service.js';
import { PolicyRestoration, RollbackService } from './rollback.service.js';

/** Published revisions, their differences and rollbacks. */
@Module({
  imports: [RelayModule, ApisModule, TiersModule, TenantsModule],
  providers: [
    RevisionHistoryRepository,
    RevisionsService,
    LimitLadderService,
    RevisionsResolver,
    RollbackRepository,
    PolicyRestoration,
    RollbackService,
  ],
})
export class RevisionsModule {}
