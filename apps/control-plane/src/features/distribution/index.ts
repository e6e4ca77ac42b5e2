export { compileCatalogue } from './catalogue.js';
export { DistributionModule, RelayModule, RelayWorkerModule } from './distribution.module.js';
export { NodesRepository } from './nodes.repository.js';
export { PolicyRepository } from './policy.repository.js';
export { PropagationFeed, PropagationService } from './propagation.js';
export { RelayService } from './relay.js';
export { movedTo, RevisionsRepository } from './revisions.repository.js';
