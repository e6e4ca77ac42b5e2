export { AuditHeadsJob } from './audit/audit.jobs.js';
export { AuditJobsModule, AuditModule } from './audit/audit.module.js';
export { AuditRepository } from './audit/audit.repository.js';
export { AuditResolver } from './audit/audit.resolver.js';
export {
  ChangeSetStepsModule,
  ChangeSetsModule,
  ChangeSetsWorkerModule,
} from './change-sets/change-sets.module.js';
export { ChangeSetsRepository } from './change-sets/change-sets.repository.js';
export { ChangeSetsResolver } from './change-sets/change-sets.resolver.js';
export { ApplyChangeSetsJob, ChangeSetsService } from './change-sets/change-sets.service.js';
export { ConfigDocumentModule } from './config/config.module.js';
export { ConfigResolver } from './config/config.resolver.js';
export { ConfigService } from './config/config.service.js';
export { ImpactModule } from './impact/impact.module.js';
export { ImpactResolver } from './impact/impact.resolver.js';
export { RevertsModule, RevertsResolver } from './reverts/reverts.resolver.js';
export { RevisionsModule } from './revisions/revisions.module.js';
export { RevisionsResolver } from './revisions/revisions.resolver.js';
