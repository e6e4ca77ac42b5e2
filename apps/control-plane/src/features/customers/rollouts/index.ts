export { RolloutsModule, RolloutsWorkerModule } from './rollouts.module.js';
export { RolloutsResolver } from './rollouts.resolver.js';
export { RolloutsService } from './rollouts.service.js';
