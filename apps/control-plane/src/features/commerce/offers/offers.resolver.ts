import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { offerKeySchema } from '@tollgate/contracts';
import { type Caller, visibleTenants } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { type Connection, cursorCodec, readPage } from '../../../platform/graphql/connection.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { OfferStatus } from '../../../platform/prisma/schema.js';
import { offerEffectsSchema, showEffect } from './offer-effects.js';
import {
  Offer,
  OfferChangeInput,
  OfferConnection,
  OfferCreateInput,
  OfferPayload,
  OffersArgs,
  OfferUpdateInput,
} from './offers.graphql.js';
import { isOnSale, type OfferRow, OffersRepository } from './offers.repository.js';
import { OffersService } from './offers.service.js';

const cursors = cursorCodec('offers', offerKeySchema);

@Resolver(() => Offer)
export class OffersResolver {
  constructor(
    private readonly service: OffersService,
    private readonly offers: OffersRepository,
  ) {}

  @RequirePermission('offers:read')
  @Query(() => OfferConnection, {
    name: 'offers',
    description: 'Offers, ordered by key. Tenants see offers on sale only.',
  })
  list(@Args() args: OffersArgs, @CurrentCaller() caller: Caller): Promise<Connection<OfferRow>> {
    const visible = visibleStatuses(caller);
    const statuses = args.status == null ? visible : visible.filter((status) => status === args.status);
    const filter = { statuses, withUnconfirmed: isOperator(caller), kind: args.kind ?? undefined };
    return readPage(args, cursors, ({ key }) => key, this.offers, filter);
  }

  @RequirePermission('offers:read')
  @Query(() => Offer, {
    name: 'offer',
    nullable: true,
    description: 'The offer with a key; null if there is none.',
  })
  async find(
    @Args('key', { description: 'Key of the offer.' }) key: string,
    @CurrentCaller() caller: Caller,
  ): Promise<OfferRow | null> {
    const offer = offerKeySchema.safeParse(key).success ? await this.offers.findByKey(key) : null;
    return offer !== null && (isOperator(caller) || isOnSale(offer)) ? offer : null;
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, { name: 'offerCreate', description: 'Creates an offer as a draft.' })
  async create(@Input() input: OfferCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('offer', await this.service.create(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, {
    name: 'offerUpdate',
    description: 'Changes an offer for future purchases. Existing purchases keep their terms.',
  })
  async update(@Input() input: OfferUpdateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('offer', await this.service.update(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, { name: 'offerActivate', description: 'Activates a draft.' })
  async activate(@Input() input: OfferChangeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('offer', await this.service.activate(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, {
    name: 'offerArchive',
    description: 'Archives an offer permanently. Existing purchases are unaffected.',
  })
  async archive(@Input() input: OfferChangeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('offer', await this.service.archive(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, {
    name: 'offerPriceConfirm',
    description:
      'Confirms the price of an offer, as it is shown, after the digits of its currency changed. It is for sale then.',
  })
  async confirmPrice(@Input() input: OfferChangeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('offer', await this.service.confirmPrice(caller, input));
  }

  @ResolveField()
  effects(@Parent() offer: OfferRow) {
    return offerEffectsSchema.parse(offer.effects).map(showEffect);
  }

  @ResolveField()
  stockLeft(@Parent() { stock, taken }: OfferRow): number | null {
    return stock === null ? null : stock - taken;
  }
}

const isOperator = ({ actor }: Caller): boolean => visibleTenants(actor) === 'all';

const visibleStatuses = (caller: Caller): OfferStatus[] =>
  isOperator(caller) ? Object.values(OfferStatus) : [OfferStatus.ACTIVE];
