export { ConfigDocumentModule } from './config.module.js';
export { ConfigResolver } from './config.resolver.js';
