import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Caller } from '../../../platform/access/actor.js';
import { notFound, type Outcome, parseInput, refuse, userError } from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { TenantsRepository } from '../../customers/index.js';
import { PaymentCustomersRepository } from '../payments/payment-customers.repository.js';
import { ProviderFailure } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { portalLinkSchema, returnUrlOf } from './purchase.rules.js';
import type { PaymentPortalLinkInput } from './purchases.graphql.js';

/** Links to the pages on which customers look after their cards. */
@Injectable()
export class PortalService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly customers: PaymentCustomersRepository,
    private readonly providers: PaymentProviders,
    private readonly config: AppConfig,
  ) {}

  /** A link that works once and for a short time. Refused: NOT_FOUND, INVALID, PROVIDER_UNAVAILABLE. */
  async makeLink(_caller: Caller, input: PaymentPortalLinkInput): Promise<Outcome<string>> {
    const parsed = parseInput(portalLinkSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, returnPath } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    const stripe = this.providers.find('STRIPE');
    const customer = await this.customers.find(tenant.id, 'STRIPE');
    if (stripe === undefined || customer === null) {
      const message = 'The tenant has paid nothing through a provider with such a page.';
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, ['tenantKey'], message)]);
    }
    try {
      const url = await stripe.findPortalUrl(
        customer,
        returnUrlOf(this.config.publicOrigin, tenantKey, returnPath),
      );
      return { ok: true, value: url ?? '', changeId: null, impact: null };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, error.message)]);
    }
  }
}
