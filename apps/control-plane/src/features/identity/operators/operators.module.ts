import { Module } from '@nestjs/common';
import { OperatorsRepository } from './operators.repository.js';
import { OperatorsResolver } from './operators.resolver.js';
import { OperatorsService } from './operators.service.js';

@Module({
  providers: [OperatorsRepository, OperatorsService, OperatorsResolver],
  exports: [OperatorsService],
})
export class OperatorsModule {}
