export { ServiceTokensModule } from './service-tokens.module.js';
export { ServiceTokensResolver } from './service-tokens.resolver.js';
export { ServiceTokensService } from './service-tokens.service.js';
