import { Module } from '@nestjs/common';
import { ApisRepository } from './apis.repository.js';
import { ApisResolver } from './apis.resolver.js';
import { ApisService } from './apis.service.js';

@Module({ providers: [ApisRepository, ApisService, ApisResolver], exports: [ApisService, ApisRepository] })
export class ApisModule {}
