export { RevisionsModule } from './revisions.module.js';
export { RevisionsResolver } from './revisions.resolver.js';
export { RollbackService } from './rollback.service.js';
