export { ApplyChangeSetsJob } from './apply-change-sets.job.js';
export { ChangeSetStepsModule, ChangeSetsModule, ChangeSetsWorkerModule } from './change-sets.module.js';
export { ChangeSetsRepository } from './change-sets.repository.js';
export { ChangeSetsResolver } from './change-sets.resolver.js';
export { ChangeSetsService } from './change-sets.service.js';
