export { InstallationResolver } from './installation.resolver.js';
export { NodeResolver } from './node.resolver.js';
export { ViewerModule } from './viewer.module.js';
export { ViewerResolver } from './viewer.resolver.js';
