import { Module } from '@nestjs/common';
import { ApiCommands } from './api.commands.js';
import { ApisRepository } from './apis.repository.js';
import { ApisResolver } from './apis.resolver.js';
import { ApisService } from './apis.service.js';
import { LimitUsesRepository } from './limit-uses.repository.js';
import { PoolsRepository } from './pools.repository.js';
import { PoolLiveResolver, PoolsResolver } from './pools.resolver.js';
import { PoolsService } from './pools.service.js';

@Module({
  providers: [
    ApisRepository,
    LimitUsesRepository,
    ApisService,
    ApiCommands,
    ApisResolver,
    PoolsRepository,
    PoolsService,
    PoolsResolver,
    PoolLiveResolver,
  ],
  exports: [ApisService, ApisRepository, PoolsService],
})
export class ApisModule {}
