import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { PaymentProviderName } from '../../../platform/prisma/schema.js';
import { InvoiceProvider } from './invoice-provider.js';
import type { PaymentProvider } from './payment-provider.js';
import { StripeProvider } from './stripe-provider.js';
import { TestProvider } from './test-provider.js';

/** The enabled payment providers. */
@Injectable()
export class PaymentProviders {
  private readonly byName: ReadonlyMap<PaymentProviderName, PaymentProvider>;

  constructor(config: AppConfig, stripe: StripeProvider, test: TestProvider, invoice: InvoiceProvider) {
    const { payments } = config;
    const enabled = [
      ...(payments.stripe.enabled ? [stripe] : []),
      ...(payments.test.enabled ? [test] : []),
      ...(payments.invoice.enabled ? [invoice] : []),
    ];
    this.byName = new Map(enabled.map((provider) => [provider.name, provider]));
  }

  /** Undefined if it is disabled. */
  find(name: PaymentProviderName): PaymentProvider | undefined {
    return this.byName.get(name);
  }

  names(): PaymentProviderName[] {
    return [...this.byName.keys()];
  }
}
