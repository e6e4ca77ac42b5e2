import { Injectable, Module } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { TiersModule } from '../../catalogue/index.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { RolloutsRepository } from './rollouts.repository.js';
import { RolloutsResolver } from './rollouts.resolver.js';
import { RolloutsService } from './rollouts.service.js';

/** Tenants per change, few enough to hold their locks only briefly. */
const TENANTS_PER_CHANGE = 100;

/** Moves tenants pinned by a rollout to the published version when they are due. */
@Injectable()
@ScheduledJob({ name: 'follow-tiers', everyMs: 1000 })
export class FollowTiersJob implements Job {
  constructor(private readonly rollouts: RolloutsService) {}

  async run(): Promise<void> {
    const actor = jobActor('follow-tiers');
    for (;;) {
      const moved = await this.rollouts.moveDue({ actor, requestId: newId('request') }, TENANTS_PER_CHANGE);
      if (moved < TENANTS_PER_CHANGE) return;
    }
  }
}

@Module({
  imports: [TiersModule, TenantsModule],
  providers: [RolloutsRepository, RolloutsService, RolloutsResolver],
  exports: [RolloutsService],
})
export class RolloutsModule {}

@Module({ imports: [RolloutsModule], providers: [FollowTiersJob] })
export class RolloutsWorkerModule {}
