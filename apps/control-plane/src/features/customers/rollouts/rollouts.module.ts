import { Module } from '@nestjs/common';
import { TiersModule } from '../../catalogue/index.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { FollowTiersJob } from './follow-tiers.job.js';
import { RolloutsRepository } from './rollouts.repository.js';
import { RolloutsResolver } from './rollouts.resolver.js';
import { RolloutsService } from './rollouts.service.js';

@Module({
  imports: [TiersModule, TenantsModule],
  providers: [RolloutsRepository, RolloutsService, RolloutsResolver],
  exports: [RolloutsService],
})
export class RolloutsModule {}

/** What a process needs that moves tenants when their time has come. */
@Module({ imports: [RolloutsModule], providers: [FollowTiersJob] })
export class RolloutsWorkerModule {}
