export { DistributionModule, RelayModule, RelayWorkerModule } from './distribution.module.js';
export { DistributionResolver } from './distribution.resolver.js';
export { isStale } from './propagation.js';
export { RelayService } from './relay.service.js';
