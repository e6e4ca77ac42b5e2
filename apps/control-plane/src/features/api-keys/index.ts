export { ApiKeysModule } from './api-keys.module.js';
export { ApiKeysRepository } from './api-keys.repository.js';
export { ApiKeysResolver } from './api-keys.resolver.js';
export { ApiKeysService } from './api-keys.service.js';
