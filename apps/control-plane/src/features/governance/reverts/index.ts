export { RevertsModule } from './reverts.module.js';
export { RevertsResolver } from './reverts.resolver.js';
