import { Module } from '@nestjs/common';
import { ApisModule } from '../apis/index.js';
import { TierVersionLoader } from './tier-version.loader.js';
import { LimitsResolver, TierVersionsResolver } from './tier-versions.resolver.js';
import { TiersRepository } from './tiers.repository.js';
import { TiersResolver } from './tiers.resolver.js';
import { TiersService } from './tiers.service.js';

@Module({
  imports: [ApisModule],
  providers: [
    TiersRepository,
    TiersService,
    TierVersionLoader,
    TiersResolver,
    TierVersionsResolver,
    LimitsResolver,
  ],
  exports: [TiersService, TiersRepository, TierVersionLoader],
})
export class TiersModule {}
