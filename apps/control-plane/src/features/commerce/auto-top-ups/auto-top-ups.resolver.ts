import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import {
  AutoTopUp,
  AutoTopUpPayload,
  AutoTopUpSetInput,
  AutoTopUpTurnOffInput,
  PaymentCardLinkInput,
  PaymentCardLinkPayload,
  PaymentCards,
} from './auto-top-ups.graphql.js';
import { AutoTopUpsService } from './auto-top-ups.service.js';
import { PaymentCardsService } from './payment-cards.service.js';

const TENANT_KEY = { description: 'Key of the tenant.' } as const;

@Resolver(() => AutoTopUp)
export class AutoTopUpsResolver {
  constructor(
    private readonly autoTopUps: AutoTopUpsService,
    private readonly cards: PaymentCardsService,
  ) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => [AutoTopUp], {
    name: 'autoTopUps',
    description: 'Auto top-ups of a tenant by API and limit, with those that are off.',
  })
  list(@Args('tenantKey', TENANT_KEY) tenantKey: string): Promise<AutoTopUp[]> {
    return this.autoTopUps.list(tenantKey);
  }

  @RequireTenantPermission('purchases:write', 'tenantKey')
  @Query(() => PaymentCards, {
    name: 'paymentCards',
    nullable: true,
    description: 'Saved cards of a tenant, as the payment providers have them; null if it does not exist.',
  })
  listCards(@Args('tenantKey', TENANT_KEY) tenantKey: string): Promise<PaymentCards | null> {
    return this.cards.list(tenantKey);
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => AutoTopUpPayload, {
    name: 'autoTopUpSet',
    description: 'Turns on the auto top-up of a quota, changes it, or accepts its new terms. Members only.',
  })
  async set(@Input() input: AutoTopUpSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('autoTopUp', await this.autoTopUps.set(caller, input));
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => AutoTopUpPayload, {
    name: 'autoTopUpTurnOff',
    description: 'Turns an auto top-up off. An order that is being paid is completed.',
  })
  async turnOff(@Input() input: AutoTopUpTurnOffInput, @CurrentCaller() caller: Caller) {
    return payloadOf('autoTopUp', await this.autoTopUps.turnOff(caller, input));
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => PaymentCardLinkPayload, {
    name: 'paymentCardLink',
    description: 'Creates a link to a page on which a member saves a card for later charges.',
  })
  async makeCardLink(@Input() input: PaymentCardLinkInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.cards.createLink(caller, input);
    return outcome.ok ? { url: outcome.value, userErrors: [] } : { url: null, userErrors: outcome.errors };
  }
}
