import { Module } from '@nestjs/common';
import { ServiceTokensRepository } from './service-tokens.repository.js';
import { ServiceTokensResolver } from './service-tokens.resolver.js';
import { ServiceTokensService } from './service-tokens.service.js';

@Module({
  providers: [ServiceTokensRepository, ServiceTokensService, ServiceTokensResolver],
  exports: [ServiceTokensService],
})
export class ServiceTokensModule {}
