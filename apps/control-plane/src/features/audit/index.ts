export { AuditModule } from './audit.module.js';
export { AuditRepository } from './audit.repository.js';
export { AuditResolver } from './audit.resolver.js';
