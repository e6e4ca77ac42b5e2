export { AuditHeadsJob } from './audit/audit.jobs.js';
export { AuditJobsModule, AuditModule } from './audit/audit.module.js';
export { AuditRepository } from './audit/audit.repository.js';
export {
  ChangeSetStepsModule,
  ChangeSetsModule,
  ChangeSetsWorkerModule,
} from './change-sets/change-sets.module.js';
export { ChangeSetsRepository } from './change-sets/change-sets.repository.js';
export { ApplyChangeSetsJob, ChangeSetsService } from './change-sets/change-sets.service.js';
export { ConfigDocumentModule } from './config/config.module.js';
export { ConfigService } from './config/config.service.js';
export { ImpactModule } from './impact/impact.module.js';
export { RevertsModule } from './reverts/reverts.resolver.js';
export { RevisionsModule } from './revisions/revisions.module.js';
