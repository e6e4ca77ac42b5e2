import { Module } from '@nestjs/common';
import { ApisModule, TiersModule } from '../../catalogue/index.js';
import { RelayModule } from '../../distribution/index.js';
import { RevisionHistoryRepository, RollbackRepository } from './revisions.repository.js';
import { RevisionsResolver } from './revisions.resolver.js';
import { RevisionsService } from './revisions.service.js';
import { PolicyRestoration, RollbackService } from './rollback.service.js';

/** Published revisions, their differences and rollbacks. */
@Module({
  imports: [RelayModule, ApisModule, TiersModule],
  providers: [
    RevisionHistoryRepository,
    RevisionsService,
    RevisionsResolver,
    RollbackRepository,
    PolicyRestoration,
    RollbackService,
  ],
})
export class RevisionsModule {}
