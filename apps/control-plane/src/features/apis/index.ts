export { ApisModule } from './apis.module.js';
export { ApisRepository } from './apis.repository.js';
export { ApisResolver } from './apis.resolver.js';
export { ApisService } from './apis.service.js';
