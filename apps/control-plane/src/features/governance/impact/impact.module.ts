import { Module } from '@nestjs/common';
import { ImpactSource } from '../../../platform/changes/change.js';
import { RelayModule } from '../../distribution/index.js';
import { ImpactRepository } from './impact.repository.js';
import { ImpactResolver } from './impact.resolver.js';
import { ImpactService } from './impact.service.js';

@Module({
  imports: [RelayModule],
  providers: [ImpactRepository, ImpactResolver, { provide: ImpactSource, useClass: ImpactService }],
})
export class ImpactModule {}
