export { AuditJobsModule, AuditModule } from './audit/audit.module.js';
export { AuditRepository } from './audit/audit.repository.js';
export { AuditResolver } from './audit/audit.resolver.js';
export { AuditHeadsJob } from './audit/audit-heads.job.js';
export { ApplyChangeSetsJob } from './change-sets/apply-change-sets.job.js';
export {
  ChangeSetStepsModule,
  ChangeSetsModule,
  ChangeSetsWorkerModule,
} from './change-sets/change-sets.module.js';
export { ChangeSetsRepository } from './change-sets/change-sets.repository.js';
export { ChangeSetsResolver } from './change-sets/change-sets.resolver.js';
export { ChangeSetsService } from './change-sets/change-sets.service.js';
export { ConfigDocumentModule } from './config/config.module.js';
export { ConfigResolver } from './config/config.resolver.js';
export { ImpactModule } from './impact/impact.module.js';
export { ImpactResolver } from './impact/impact.resolver.js';
export { RevertsModule } from './reverts/reverts.module.js';
export { RevertsResolver } from './reverts/reverts.resolver.js';
export { RevisionsModule } from './revisions/revisions.module.js';
export { RevisionsResolver } from './revisions/revisions.resolver.js';
