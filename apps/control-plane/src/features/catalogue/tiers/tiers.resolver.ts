import { Injectable } from '@nestjs/common';
import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { summarizeLimit, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import {
  type Connection,
  cursorCodec,
  PageArgs,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import type { LimitRecord } from '../limits/limit-record.js';
import { Limit } from '../limits/limits.graphql.js';
import { LintService } from '../lint/lint.service.js';
import {
  Tier,
  TierConnection,
  TierCreateInput,
  TierDeletePayload,
  TierDraftDiscardInput,
  TierDraftSaveInput,
  TierDuplicateInput,
  TierLifecycleInput,
  TierPayload,
  TierPublishInput,
  TierPublishPayload,
  TierUpdateInput,
  TierVersion,
} from './tiers.graphql.js';
import { type TierRow, TiersRepository, type TierVersionRow } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

const CURRENT_VERSIONS = Symbol('draft and published version by tier id');
const LIMITS = Symbol('limits by tier version id');

/** Batches reads of versions and limits per request. */
@Injectable()
export class TierVersionLoader {
  constructor(private readonly tiers: TiersRepository) {}

  /** The draft or published version of a tier; undefined if it has none. */
  async findCurrent(
    context: GraphqlContext,
    tierId: string,
    status: TierVersionStatus,
  ): Promise<TierVersionRow | undefined> {
    const { DRAFT, PUBLISHED } = TierVersionStatus;
    const versions = await requestLoader<TierVersionRow[]>(context, CURRENT_VERSIONS, [], (ids) =>
      this.tiers.listVersions(ids, [DRAFT, PUBLISHED]),
    ).load(tierId);
    return versions.find((version) => version.status === status);
  }

  limits(context: GraphqlContext, versionId: string): Promise<LimitRecord[]> {
    return requestLoader<LimitRecord[]>(context, LIMITS, [], (ids) => this.tiers.listLimits(ids)).load(
      versionId,
    );
  }
}

const ALL_VERSIONS = Symbol('all versions by tier id');
const TENANT_COUNT = Symbol('tenants by tier id');
const cursors = cursorCodec('tiers', z.object({ rank: z.int32(), key: tierKeySchema }));

@Resolver(() => Tier)
export class TiersResolver {
  constructor(
    private readonly service: TiersService,
    private readonly lint: LintService,
    private readonly tiers: TiersRepository,
    private readonly versionLoader: TierVersionLoader,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => TierConnection, { name: 'tiers', description: 'Lists tiers by rank.' })
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
    description: 'Returns a tier by key; null if there is none.',
  })
  find(@Args('key', { description: 'Key of the tier.' }) key: string): Promise<TierRow | null> {
    return this.service.findByKey(key);
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, { name: 'tierCreate', description: 'Creates a tier without limits.' })
  async create(@Input() input: TierCreateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.create(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPublishPayload, {
    name: 'tierUpdate',
    description: 'Changes the fields of a tier.',
  })
  async update(@Input() input: TierUpdateInput, @CurrentCaller() caller: Caller) {
    return { ...payloadOf('tier', await this.service.update(caller, input)), warnings: [] };
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, {
    name: 'tierArchive',
    description: 'Archives a tier. No new tenants can join; existing tenants are unaffected.',
  })
  async archive(@Input() input: TierLifecycleInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.archive(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, { name: 'tierRestore', description: 'Restores an archived tier.' })
  async restore(@Input() input: TierLifecycleInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.restore(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierDeletePayload, {
    name: 'tierDelete',
    description: 'Deletes a tier that was never published, with its draft.',
  })
  async delete(@Input() input: TierLifecycleInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.delete(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, {
    name: 'tierDuplicate',
    description:
      'Creates a tier whose draft copies the limits of the draft, or of the published version, of another tier.',
  })
  async duplicate(@Input() input: TierDuplicateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.duplicate(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, {
    name: 'tierDraftSave',
    description: 'Replaces the limits of the draft; creates a draft if there is none.',
  })
  async saveDraft(@Input() input: TierDraftSaveInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.saveDraft(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPayload, { name: 'tierDraftDiscard', description: 'Discards the draft.' })
  async discardDraft(@Input() input: TierDraftDiscardInput, @CurrentCaller() caller: Caller) {
    return payloadOf('tier', await this.service.discardDraft(caller, input));
  }

  @RequirePermission('tiers:write')
  @Mutation(() => TierPublishPayload, {
    name: 'tierPublish',
    description: 'Publishes the draft, or the given limits, for the chosen audience.',
  })
  async publish(@Input() input: TierPublishInput, @CurrentCaller() caller: Caller) {
    const outcome = await this.service.publish(caller, input);
    const { key, publication } = outcome.ok ? outcome.value : {};
    const warnings = key && publication ? await this.lint.lintPublication(key, publication) : [];
    return { ...payloadOf('tier', outcome), warnings };
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

const TENANT_COUNTS = Symbol('tenants by tier version id');

@Resolver(() => TierVersion)
export class TierVersionsResolver {
  constructor(
    private readonly versionLoader: TierVersionLoader,
    private readonly tiers: TiersRepository,
  ) {}

  @ResolveField()
  tenantCount(@Parent() { id }: TierVersionRow, @Context() context: GraphqlContext): Promise<number> {
    return requestLoader(context, TENANT_COUNTS, 0, (ids) => this.tiers.countTenantsOn(ids)).load(id);
  }

  @ResolveField()
  limits(@Parent() version: TierVersionRow, @Context() context: GraphqlContext): Promise<LimitRecord[]> {
    return this.versionLoader.limits(context, version.id);
  }
}

@Resolver(() => Limit)
export class LimitsResolver {
  @ResolveField()
  summary(@Parent() limit: LimitRecord): string {
    return summarizeLimit(limit.policy);
  }
}
