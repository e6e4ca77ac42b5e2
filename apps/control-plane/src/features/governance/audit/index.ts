export { AuditJobsModule, AuditModule } from './audit.module.js';
export { AuditRepository } from './audit.repository.js';
export { AuditResolver } from './audit.resolver.js';
export { AuditHeadsJob } from './audit-heads.job.js';
export { AuditHeadsStore } from './audit-heads.store.js';
export { AuditVerifier, type Verification } from './audit-verifier.js';
