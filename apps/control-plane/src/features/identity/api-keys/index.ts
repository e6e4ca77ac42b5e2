export { ApiKeyJobsModule, ApiKeysModule } from './api-keys.module.js';
export { ApiKeysRepository } from './api-keys.repository.js';
export { ApiKeysResolver } from './api-keys.resolver.js';
export { ApiKeysService } from './api-keys.service.js';
export { ExpiringApiKeysJob } from './expiring-api-keys.job.js';
