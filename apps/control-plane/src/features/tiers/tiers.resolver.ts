import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../platform/access/actor.js';
import { CurrentCaller } from '../../platform/access/current-caller.decorator.js';
import { RequirePermission } from '../../platform/access/require-permission.decorator.js';
import type { Outcome } from '../../platform/changes/outcome.js';
import { type Connection, PageArgs } from '../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../platform/graphql/context.js';
import { cursorCodec, parsePage, toConnection } from '../../platform/graphql/paging.js';
import { requestLoader } from '../../platform/graphql/request-loader.js';
import { TierVersionStatus } from '../../platform/prisma/schema.js';
import {
  TierCreateInput,
  TierDraftDiscardInput,
  TierDraftSaveInput,
  TierPayload,
  TierPublishInput,
  TierPublishPayload,
} from './tier-mutations.graphql.js';
import { TierVersionLoader } from './tier-version.loader.js';
import { Tier, TierConnection } from './tiers.graphql.js';
import { type TierRow, TiersRepository, type TierVersionRow } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

const ALL_VERSIONS = Symbol('all versions by tier id');
const TENANT_COUNT = Symbol('tenants by tier id');
const cursors = cursorCodec('tiers', z.object({ rank: z.int32(), key: tierKeySchema }));

@Resolver(() => Tier)
export class TiersResolver {
  constructor(
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
    private readonly versionLoader: TierVersionLoader,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => TierConnection, { name: 'tiers', description: 'Tiers, by rank.' })
  async list(@Args() args: PageArgs): Promise<Connection<TierRow>> {
    const page = parsePage(args, cursors);
    const rows = await this.tiers.list(page);
    const cursorOf = ({ rank, key }: TierRow) => cursors.encode({ rank, key });
    return toConnection(rows, page, cursorOf, () => this.tiers.count());
  }

  @RequirePermission('tiers:read')
  @Query(() => Tier, {
    name: 'tier',
    nullable: true,
    description: 'The tier of a key; null when there is none.',
  })
  find(@Args('key', { description: 'Key of the tier.' }) key: string): Promise<TierRow | null> {
    return this.service.findByKey(key);
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, { name: 'tierCreate', description: 'Creates a tier, still without limits.' })
  async create(
    @Args('input', { description: 'The new tier.' }) input: TierCreateInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.create(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, {
    name: 'tierDraftSave',
    description: "Replaces the draft's limits (makes a draft from the published version when there is none).",
  })
  async saveDraft(
    @Args('input', { description: 'The whole draft.' }) input: TierDraftSaveInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.saveDraft(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, { name: 'tierDraftDiscard', description: 'Drops the draft.' })
  async discardDraft(
    @Args('input', { description: 'Which draft.' }) input: TierDraftDiscardInput,
    @CurrentCaller() caller: Caller,
  ) {
    return payload(await this.service.discardDraft(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPublishPayload, {
    name: 'tierPublish',
    description: 'Puts the draft in force for every tenant of the tier that is not pinned.',
  })
  async publish(
    @Args('input', { description: 'Which draft.' }) input: TierPublishInput,
    @CurrentCaller() caller: Caller,
  ) {
    const outcome = await this.service.publish(caller, input);
    return { ...payload(outcome), changeId: outcome.ok ? outcome.changeId : null };
  }

  @ResolveField()
  published(
    @Parent() tier: TierRow,
    @Context() context: GraphqlContext,
  ): Promise<TierVersionRow | undefined> {
    return this.versionLoader.findCurrent(context, tier.id, TierVersionStatus.PUBLISHED);
  }

  @ResolveField()
  draft(@Parent() tier: TierRow, @Context() context: GraphqlContext): Promise<TierVersionRow | undefined> {
    return this.versionLoader.findCurrent(context, tier.id, TierVersionStatus.DRAFT);
  }

  @ResolveField()
  versions(@Parent() tier: TierRow, @Context() context: GraphqlContext): Promise<TierVersionRow[]> {
    return requestLoader<TierVersionRow[]>(context, ALL_VERSIONS, [], (ids) =>
      this.tiers.listVersions(ids, Object.values(TierVersionStatus)),
    ).load(tier.id);
  }

  @ResolveField()
  tenantCount(@Parent() tier: TierRow, @Context() context: GraphqlContext): Promise<number> {
    return requestLoader(context, TENANT_COUNT, 0, (ids) => this.tiers.countTenants(ids)).load(tier.id);
  }
}

function payload(outcome: Outcome<TierRow>) {
  return outcome.ok
    ? { tier: outcome.value, userErrors: [] }
    : { tier: outcome.current, userErrors: outcome.errors };
}
