export { compileCatalogue } from './catalogue.js';
export { DistributionModule, RelayModule, RelayWorkerModule } from './distribution.module.js';
export { PolicyRepository } from './policy.repository.js';
export { PropagationFeed } from './propagation.js';
export { RelayService } from './relay.js';
export { RevisionsRepository } from './revisions.repository.js';
