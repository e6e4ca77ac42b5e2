export { InvoicesResolver } from './invoices.resolver.js';

export { PurchaseChangesResolver } from './purchase-changes.resolver.js';
export { PurchaseDueService } from './purchase-due.service.js';
export { PurchaseEventsService } from './purchase-events.service.js';
export { PurchaseStartService } from './purchase-start.service.js';
export { PurchasesModule, PurchasesWorkerModule } from './purchases.module.js';
export { PurchasesRepository } from './purchases.repository.js';
export { PurchasesResolver } from './purchases.resolver.js';
