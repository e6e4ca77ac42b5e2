import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { PurchasesModule } from '../purchases/purchases.module.js';
import { BillingDetailsRepository } from './billing-details.repository.js';
import { BillingDetailsResolver } from './billing-details.resolver.js';
import { BillingDocuments, DocumentsController } from './documents.controller.js';

/** Billing details of tenants, and PDFs of their invoices and receipts. */
@Module({
  imports: [TenantsModule, PaymentsModule, PurchasesModule],
  providers: [BillingDetailsRepository, BillingDetailsResolver, BillingDocuments],
  controllers: [DocumentsController],
})
export class DocumentsModule {}
