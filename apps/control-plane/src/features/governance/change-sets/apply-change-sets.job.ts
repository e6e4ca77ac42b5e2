import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { ChangeSetsRepository } from './change-sets.repository.js';
import { ChangeSetsService } from './change-sets.service.js';

/** Applies sets whose time has come. */
@ScheduledJob({ name: 'change-sets', everyMs: 5000 })
@Injectable()
export class ApplyChangeSetsJob {
  constructor(
    private readonly sets: ChangeSetsRepository,
    private readonly service: ChangeSetsService,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    for (const id of await this.sets.listDue(this.clock.now())) {
      await this.service.applyDue({ actor: jobActor('change-sets'), requestId: newId('request') }, id);
    }
  }
}
