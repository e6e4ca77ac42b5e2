export { ImpactModule } from './impact.module.js';
export { ImpactResolver } from './impact.resolver.js';
