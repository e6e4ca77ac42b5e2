import { Module } from '@nestjs/common';
import { AuditRepository } from './audit.repository.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditAlarm } from './audit-alarm.js';
import { AuditExportController } from './audit-export.controller.js';
import { AuditExport } from './audit-export.js';
import { AuditHeadsJob } from './audit-heads.job.js';
import { AuditHeadsStore } from './audit-heads.store.js';
import { AuditVerifier } from './audit-verifier.js';
import { AuditVerifyJob } from './audit-verify.job.js';

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
