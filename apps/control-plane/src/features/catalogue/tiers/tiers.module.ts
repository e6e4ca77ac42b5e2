import { Module } from '@nestjs/common';
import { ApisModule } from '../apis/apis.module.js';
import { CompareResolver } from './compare/compare.resolver.js';
import { DefaultLimitsRepository } from './default-limits.repository.js';
import { DefaultLimitsResolver } from './default-limits.resolver.js';
import { DefaultLimitsService } from './default-limits.service.js';
import { HoldsRepository } from './holds.repository.js';
import { LintResolver } from './lint/lint.resolver.js';
import { LintService } from './lint/lint.service.js';
import { SentDimensionsRepository } from './lint/sent-dimensions.repository.js';
import { PublishedTiersRepository } from './published-tiers.repository.js';
import { TierCommands } from './tier.commands.js';
import { TierChanges } from './tier-changes.js';
import { TierCommandRows, TierLifecycleCommands } from './tier-lifecycle.commands.js';
import { TierLifecycleService } from './tier-lifecycle.service.js';
import { TierPublisher } from './tier-publisher.js';
import { TierVersionLoader } from './tier-version.loader.js';
import { LimitsResolver, TierVersionsResolver } from './tier-versions.resolver.js';
import { TiersRepository } from './tiers.repository.js';
import { TiersResolver } from './tiers.resolver.js';
import { TiersService } from './tiers.service.js';

@Module({
  imports: [ApisModule],
  providers: [
    TiersRepository,
    DefaultLimitsRepository,
    HoldsRepository,
    TierChanges,
    TierPublisher,
    PublishedTiersRepository,
    TiersService,
    TierCommands,
    TierLifecycleService,
    DefaultLimitsService,
    TierCommandRows,
    TierLifecycleCommands,
    LintService,
    SentDimensionsRepository,
    TierVersionLoader,
    DefaultLimitsResolver,
    LintResolver,
    CompareResolver,
    TiersResolver,
    TierVersionsResolver,
    LimitsResolver,
  ],
  exports: [
    TiersService,
    TierLifecycleService,
    DefaultLimitsService,
    TiersRepository,
    PublishedTiersRepository,
    DefaultLimitsRepository,
    TierVersionLoader,
  ],
})
export class TiersModule {}
