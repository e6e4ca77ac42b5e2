import { Module } from '@nestjs/common';
import { ImpactSource } from '../../../platform/changes/change.js';
import { RelayModule } from '../../distribution/index.js';
import { ImpactResolver } from './impact.resolver.js';
import { ImpactService } from './impact.service.js';
import { ImpactDetailsService } from './impact-details.service.js';
import { ReachedTenantsRepository } from './reached-tenants.repository.js';
import { StandingsRepository } from './standings.repository.js';

@Module({
  imports: [RelayModule],
  providers: [
    StandingsRepository,
    ReachedTenantsRepository,
    ImpactDetailsService,
    ImpactResolver,
    { provide: ImpactSource, useClass: ImpactService },
  ],
})
export class ImpactModule {}
