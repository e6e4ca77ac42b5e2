export { EndedOverridesJob } from './ended-overrides.job.js';
export { overrideTimes } from './override.rules.js';
export { OverrideLintResolver } from './override-lint.resolver.js';
export type { BoostStartInput } from './overrides.graphql.js';
export { OverrideJobsModule, OverridesModule } from './overrides.module.js';
export { type OverrideRow, OverridesRepository } from './overrides.repository.js';
export { OverridesResolver } from './overrides.resolver.js';
export { OverridesService } from './overrides.service.js';
