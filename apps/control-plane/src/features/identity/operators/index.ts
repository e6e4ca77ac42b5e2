export { OperatorsModule } from './operators.module.js';
export { OperatorsResolver } from './operators.resolver.js';
export { OperatorsService } from './operators.service.js';
