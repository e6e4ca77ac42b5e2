export { TenantsModule } from './tenants.module.js';
export { TenantsRepository } from './tenants.repository.js';
export { TenantsResolver } from './tenants.resolver.js';
export { TenantsService } from './tenants.service.js';
