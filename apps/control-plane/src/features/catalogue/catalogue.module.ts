import { Module } from '@nestjs/common';
import { ApiCommands } from './apis/api.commands.js';
import { ApisRepository, PoolsRepository } from './apis/apis.repository.js';
import { ApisResolver, PoolLiveResolver, PoolsResolver } from './apis/apis.resolver.js';
import { ApisService } from './apis/apis.service.js';
import { PoolsService } from './apis/pools.service.js';
import { DefaultLimitsResolver, DefaultLimitsService } from './limits/default-limits.js';
import { DefaultLimitsRepository } from './limits/default-limits.repository.js';
import { LimitStorageRepository } from './limits/limit-storage.repository.js';
import { SentDimensionsRepository } from './lint/lint.repository.js';
import { LintResolver, LintService } from './lint/lint.service.js';
import { PublicationGuardsRepository } from './tiers/publication-guards.repository.js';
import { PublishedTiersRepository, RolloutRepository } from './tiers/published-tiers.repository.js';
import { TierCommands } from './tiers/tier.commands.js';
import { CompareResolver } from './tiers/tier-comparison.js';
import { TierPublisher } from './tiers/tier-publisher.js';
import { TiersRepository } from './tiers/tiers.repository.js';
import {
  LimitsResolver,
  TiersResolver,
  TierVersionLoader,
  TierVersionsResolver,
} from './tiers/tiers.resolver.js';
import { TiersService } from './tiers/tiers.service.js';

const PROVIDERS = [
  ApisRepository,
  ApisService,
  ApiCommands,
  ApisResolver,
  PoolsRepository,
  PoolsService,
  PoolsResolver,
  PoolLiveResolver,
  TiersRepository,
  DefaultLimitsRepository,
  LimitStorageRepository,
  RolloutRepository,
  PublicationGuardsRepository,
  TierPublisher,
  PublishedTiersRepository,
  TiersService,
  TierCommands,
  DefaultLimitsService,
  LintService,
  SentDimensionsRepository,
  TierVersionLoader,
  DefaultLimitsResolver,
  LintResolver,
  CompareResolver,
  TiersResolver,
  TierVersionsResolver,
  LimitsResolver,
];

/** APIs, tiers and their limits. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CatalogueModule {}
