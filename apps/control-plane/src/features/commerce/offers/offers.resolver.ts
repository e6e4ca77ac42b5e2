import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { offerKeySchema } from '@tollgate/contracts';
import { type Caller, visibleTenants } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import { cursorCodec, parsePage, toConnection } from '../../../platform/graphql/paging.js';
import { OfferStatus } from '../../../platform/prisma/schema.js';
import { offerEffectsSchema } from './offer.effects.js';
import { showEffect } from './offer-effects.graphql.js';
import {
  Offer,
  OfferChangeInput,
  OfferConnection,
  OfferCreateInput,
  OfferPayload,
  OffersArgs,
  OfferUpdateInput,
} from './offers.graphql.js';
import { type OfferRow, OffersRepository } from './offers.repository.js';
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
    description: 'What is sold, by key. Who is no operator sees what is on sale.',
  })
  async list(@Args() args: OffersArgs, @CurrentCaller() caller: Caller): Promise<Connection<OfferRow>> {
    const page = parsePage(args, cursors);
    const seen = statusesSeenBy(caller);
    const statuses = args.status == null ? seen : [args.status].filter((one) => isSeen(one, seen));
    if (args.status != null && statuses.length === 0) return toConnection([], page, String, async () => 0);
    const filter = { statuses, kind: args.kind ?? undefined };
    const rows = await this.offers.list(filter, page);
    return toConnection(
      rows,
      page,
      (offer) => cursors.encode(offer.key),
      () => this.offers.count(filter),
    );
  }

  @RequirePermission('offers:read')
  @Query(() => Offer, {
    name: 'offer',
    nullable: true,
    description: 'The offer of a key; null when there is none.',
  })
  async find(
    @Args('key', { description: 'Key of the offer.' }) key: string,
    @CurrentCaller() caller: Caller,
  ): Promise<OfferRow | null> {
    const offer = offerKeySchema.safeParse(key).success ? await this.offers.findByKey(key) : null;
    return offer !== null && isSeen(offer.status, statusesSeenBy(caller)) ? offer : null;
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, { name: 'offerCreate', description: 'Creates an offer, as a draft.' })
  async create(
    @Args('input', { description: 'The new offer.' }) input: OfferCreateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('offer', await this.service.create(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, {
    name: 'offerUpdate',
    description: 'Changes an offer for purchases to come; those that were made keep their terms.',
  })
  async update(
    @Args('input', { description: 'The change.' }) input: OfferUpdateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('offer', await this.service.update(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, { name: 'offerActivate', description: 'Puts a draft on sale.' })
  async activate(
    @Args('input', { description: 'Which offer.' }) input: OfferChangeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('offer', await this.service.activate(caller, input));
  }

  @RequirePermission('offers:write')
  @Mutation(() => OfferPayload, {
    name: 'offerArchive',
    description: 'Takes an offer off sale for good; what was bought goes on.',
  })
  async archive(
    @Args('input', { description: 'Which offer.' }) input: OfferChangeInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payloadOf('offer', await this.service.archive(caller, input));
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

/** Empty: all of them. */
function statusesSeenBy({ actor }: Caller): OfferStatus[] {
  return visibleTenants(actor) === 'all' ? [] : [OfferStatus.ACTIVE];
}

function isSeen(status: OfferStatus, seen: OfferStatus[]): boolean {
  return seen.length === 0 || seen.includes(status);
}
