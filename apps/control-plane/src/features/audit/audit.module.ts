import { Module } from '@nestjs/common';
import { AuditRepository } from './audit.repository.js';
import { AuditResolver } from './audit.resolver.js';

@Module({ providers: [AuditRepository, AuditResolver], exports: [AuditRepository] })
export class AuditModule {}
