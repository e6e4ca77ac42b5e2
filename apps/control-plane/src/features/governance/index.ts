export { AuditHeadsJob } from './audit/audit.jobs.js';
export { AuditRepository } from './audit/audit.repository.js';
export { ChangeSetsRepository } from './change-sets/change-sets.repository.js';
export { ApplyChangeSetsJob, ChangeSetsService } from './change-sets/change-sets.service.js';
export { ConfigService } from './config/config.service.js';
export {
  AuditJobsModule,
  AuditModule,
  ChangeSetStepsModule,
  ChangeSetsModule,
  ChangeSetsWorkerModule,
  ConfigDocumentModule,
  ExplanationsModule,
  GuardsModule,
  GuardsWorkerModule,
  ImpactModule,
  PastEffectsModule,
  RevisionsModule,
  SimulationsModule,
  SimulationsWorkerModule,
} from './governance.modules.js';
export { GuardsRepository } from './guards/guards.repository.js';
export { guardOutput } from './guards/guards.resolver.js';
export { RevertsModule } from './reverts/reverts.js';
