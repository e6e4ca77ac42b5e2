export { QuotaRequestsModule } from './quota-requests.module.js';
export { QuotaRequestsRepository } from './quota-requests.repository.js';
export { QuotaRequestsResolver } from './quota-requests.resolver.js';
export { QuotaRequestsService } from './quota-requests.service.js';
