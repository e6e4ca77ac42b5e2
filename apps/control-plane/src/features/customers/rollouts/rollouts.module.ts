import { Injectable, Module } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { TiersModule } from '../../catalogue/index.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { RolloutsRepository } from './rollouts.repository.js';
import { RolloutsResolver } from './rollouts.resolver.js';
import { RolloutsService } from './rollouts.service.js';

/** In one change: few enough that nobody waits long for a tenant that is in it. */
const TENANTS_PER_CHANGE = 100;

/** Moves tenants that a publication held back, when their time has come. */
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

/** What a process needs that moves tenants when their time has come. */
@Module({ imports: [RolloutsModule], providers: [FollowTiersJob] })
export class RolloutsWorkerModule {}
