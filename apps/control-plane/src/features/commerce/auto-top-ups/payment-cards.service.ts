import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import type { PaymentProviderName } from '../../../platform/prisma/schema.js';
import { type TenantRow, TenantsRepository } from '../../customers/index.js';
import { ProviderFailure, type SavedCard, type SavedCards } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { returnUrlOf } from '../purchases/payment-pages.js';
import {
  type PaymentCardLinkInput,
  type PaymentCards,
  paymentCardLinkSchema,
} from './auto-top-ups.graphql.js';

export const NOT_A_MEMBER = invalid(
  ['tenantKey'],
  'Only members of the tenant can turn on auto top-up: it charges their card.',
);

export function isMember({ memberships }: Actor, tenantKey: string): boolean {
  return memberships.some((membership) => membership.tenantKey === tenantKey);
}

/** Cards that tenants save at payment providers. */
@Injectable()
export class PaymentCardsService {
  constructor(
    private readonly tenants: TenantsRepository,
    private readonly providers: PaymentProviders,
    private readonly config: AppConfig,
  ) {}

  /** Null if the tenant does not exist. */
  async list(tenantKey: string): Promise<PaymentCards | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const providers = this.providers.names().filter((name) => this.providers.find(name)?.savedCards != null);
    const found = await Promise.all(providers.map((provider) => this.listAt(provider, tenant)));
    return {
      providers,
      cards: found.flatMap(({ cards }) => cards),
      problem: found.find(({ problem }) => problem !== null)?.problem ?? null,
    };
  }

  /** The card, or why it cannot be charged. */
  async find(tenantId: string, provider: PaymentProviderName, ref: string): Promise<SavedCard | UserError> {
    const savedCards = this.providers.find(provider)?.savedCards ?? null;
    if (savedCards === null) return NO_SAVED_CARDS;
    try {
      const card = (await savedCards.list(tenantId)).find((one) => one.ref === ref);
      return card ?? invalid(['card'], 'This card is not saved. Save a card first.');
    } catch (error) {
      return failureOf(error);
    }
  }

  /** A page of the provider on which a member saves a card. Errors: NOT_FOUND, INVALID, PROVIDER_UNAVAILABLE. */
  async createLink({ actor, dryRun }: Caller, input: PaymentCardLinkInput): Promise<Outcome<string | null>> {
    const parsed = parseInput(paymentCardLinkSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, provider, currency, returnPath } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    if (!isMember(actor, tenantKey)) return refuse([NOT_A_MEMBER]);
    const savedCards: SavedCards | null = this.providers.find(provider)?.savedCards ?? null;
    if (savedCards === null) return refuse([NO_SAVED_CARDS]);
    const done = (value: string | null) => ({ ok: true, value, changeId: null, impact: null }) as const;
    if (dryRun === true) return done(null);
    try {
      const returnUrl = returnUrlOf(this.config.publicOrigin, tenantKey, returnPath);
      return done(await savedCards.startSaving(tenant, currency, returnUrl));
    } catch (error) {
      return refuse([failureOf(error)]);
    }
  }

  private async listAt(provider: PaymentProviderName, tenant: TenantRow) {
    try {
      const cards = (await this.providers.find(provider)?.savedCards?.list(tenant.id)) ?? [];
      return { cards: cards.map((card) => ({ provider, ...card })), problem: null };
    } catch (error) {
      return { cards: [], problem: failureOf(error).message };
    }
  }
}

const NO_SAVED_CARDS = userError(
  UserErrorCode.PROVIDER_UNAVAILABLE,
  ['provider'],
  'This payment method cannot charge a saved card. Choose one of `paymentCards.providers`.',
);

/** @throws any error but a ProviderFailure */
function failureOf(error: unknown): UserError {
  if (!(error instanceof ProviderFailure)) throw error;
  return userError(UserErrorCode.PROVIDER_UNAVAILABLE, ['provider'], error.message);
}
