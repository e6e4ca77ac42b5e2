import { Module } from '@nestjs/common';
import { AuditAlarm, AuditHeadsJob, AuditVerifyJob } from './audit.jobs.js';
import { AuditRepository } from './audit.repository.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditExport, AuditExportController } from './audit-export.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { AuditVerifier } from './audit-verifier.js';

@Module({
  controllers: [AuditExportController],
  providers: [AuditRepository, AuditResolver, AuditHeadsStore, AuditVerifier, AuditExport],
  exports: [AuditRepository],
})
export class AuditModule {}

/** Signs the heads of chains and verifies them daily. */
@Module({
  providers: [AuditRepository, AuditHeadsStore, AuditVerifier, AuditAlarm, AuditHeadsJob, AuditVerifyJob],
  exports: [AuditVerifier, AuditHeadsStore, AuditHeadsJob],
})
export class AuditJobsModule {}
