export { LiveModule } from './live.module.js';
export { UsageTickResolver } from './usage-tick.resolver.js';
