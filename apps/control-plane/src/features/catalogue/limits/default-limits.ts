import { Injectable } from '@nestjs/common';
import { Context, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { reachOf } from '@tollgate/contracts';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  payloadOf,
  refuse,
} from '../../../platform/changes/outcome.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input, type UserError } from '../../../platform/graphql/mutation.graphql.js';
import { type CarryOver, LimitOrigin } from '../../../platform/prisma/schema.js';
import { Api, ApiChangePayload } from '../apis/apis.graphql.js';
import { type ApiRow, ApisRepository } from '../apis/apis.repository.js';
import { TierPublisher, toChecked } from '../tiers/tier-publisher.js';
import { ApiDefaultLimitsSetInput, defaultLimitsSetSchema } from '../tiers/tiers.graphql.js';
import { type TierRow, TiersRepository, type TierVersionRow } from '../tiers/tiers.repository.js';
import { TIER_CHANGE_TIMEOUT_MS } from '../tiers/tiers.service.js';
import { DefaultLimitsRepository } from './default-limits.repository.js';
import { type CheckedLimit, checkDraft, checkPublication, missingDefaults } from './limit.rules.js';
import type { DefaultLimitRecord } from './limit-record.js';
import { Limit } from './limits.graphql.js';

/** Limits that an API adds to every tier that has no limit of the same name. */
@Injectable()
export class DefaultLimitsService {
  constructor(
    private readonly defaults: DefaultLimitsRepository,
    private readonly apis: ApisRepository,
    private readonly tiers: TiersRepository,
    private readonly publisher: TierPublisher,
    private readonly changes: ChangeRunner,
  ) {}

  /**
   * Replaces the default limits of an API and publishes a new version of each tier that they change, in one change. Drafts
   * do not change. Errors: INVALID, NOT_FOUND, CONFLICT, MANAGED_BY_CONFIG; also when the defaults conflict with the limits
   * of a tier, which the message names.
   */
  async set(caller: Caller, input: ApiDefaultLimitsSetInput): Promise<Outcome<ApiRow>> {
    const parsed = parseInput(defaultLimitsSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { apiKey, expectedVersion, limits, carryOver, reason } = parsed.data;
    return this.changes.run<ApiRow>(caller, { reason, timeout: TIER_CHANGE_TIMEOUT_MS }, async (change) => {
      const { tx } = change;
      // Locks tiers before APIs, as a publication does.
      const tiers = await this.tiers.lockPublished(tx);
      const api = await this.apis.lockByKey(tx, apiKey);
      if (api === null) return refuse([notFound(['apiKey'], `API "${apiKey}"`)]);
      if (api.version !== expectedVersion) return refuse([conflict('API')], api);
      const managed = findManaged(caller, api, 'API', reason);
      if (managed !== undefined) return refuse([managed], api);
      const inputs = limits.map((limit) => ({ ...limit, apiKey }));
      const keys = inputs.flatMap(({ alsoApis }) => alsoApis ?? []);
      const checked = checkDraft(inputs, await this.publisher.knownApis(change, [apiKey, ...keys]));
      if (!checked.ok) return refuse(checked.errors, api);
      const before = (await this.defaults.list([api.id], tx)).get(api.id) ?? [];
      await this.defaults.replace(tx, api.id, checked.limits);
      await change.audit({
        action: 'api.defaultLimitsSet',
        entityId: api.id,
        entityName: api.name,
        entityKey: api.key,
        before: { apiKey, limits: before.map(({ policy }) => policy) },
        after: { apiKey, limits: checked.limits.map(({ policy }) => policy), carryOver },
      });
      const problems = await this.publisher.findStorageChanges(change, checked.limits);
      for (const tier of tiers) problems.push(...(await this.republish(change, tier, api, carryOver)));
      if (problems.length > 0) return refuse(problems, api);
      return this.apis.raiseVersion(tx, api.id);
    });
  }

  /** Publishes the tier if the defaults change its limits. @returns the errors that prevent it */
  private async republish(
    change: Change,
    tier: TierRow & { published: TierVersionRow },
    api: ApiRow,
    carryOver: CarryOver,
  ): Promise<UserError[]> {
    const { id, note } = tier.published;
    const current = ((await this.tiers.listLimits([id], change.tx)).get(id) ?? []).map(toChecked);
    const own = current.filter(({ origin }) => origin === LimitOrigin.TIER);
    const defaults = [...(await this.defaults.list('all', change.tx)).values()].flat();
    const limits = [...own, ...missingDefaults(own, defaults)];
    if (isSame(current, limits)) return [];
    const keys = limits.flatMap(({ policy }) => reachOf(policy));
    const problems = checkPublication(limits, await this.publisher.knownApis(change, keys));
    if (problems.length > 0)
      return problems.map((problem) => ({
        ...problem,
        field: ['limits'],
        message: `Tier "${tier.key}": ${problem.message}`,
      }));
    const facts = { note: `Default limits of ${api.key}`, carryOver };
    const number = await this.publisher.republish(change, tier, tier.published, limits, facts);
    const before = { note, limits: own.map(({ policy }) => policy) };
    const after = { ...before, note: facts.note, carryOver };
    await change.audit({
      action: 'tier.publish',
      entityId: tier.id,
      entityName: `${tier.name} v${number}`,
      entityKey: tier.key,
      before,
      after,
    });
    await this.tiers.raiseVersion(change.tx, tier.id);
    return [];
  }
}

function isSame(current: readonly CheckedLimit[], next: readonly CheckedLimit[]): boolean {
  const text = (limits: readonly CheckedLimit[]) =>
    JSON.stringify(limits.map(({ policy, origin }) => [origin, policy]));
  return text(current) === text(next);
}

const DEFAULT_LIMITS = Symbol('default limits by API id');

@Resolver(() => Api)
export class DefaultLimitsResolver {
  constructor(
    private readonly service: DefaultLimitsService,
    private readonly defaults: DefaultLimitsRepository,
  ) {}

  @RequirePermission('tiers:write')
  @Mutation(() => ApiChangePayload, {
    name: 'apiDefaultLimitsSet',
    description:
      'Replaces the default limits of an API, which apply to every tier without a limit of the same name. Publishes a new version of each tier that changes.',
  })
  async set(@Input() input: ApiDefaultLimitsSetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('api', await this.service.set(caller, input));
  }

  @ResolveField(() => [Limit], {
    description: 'Default limits: they apply to every tier without a limit of the same name.',
  })
  defaultLimits(@Parent() api: ApiRow, @Context() context: GraphqlContext): Promise<DefaultLimitRecord[]> {
    return requestLoader<DefaultLimitRecord[]>(context, DEFAULT_LIMITS, [], (ids) =>
      this.defaults.list(ids),
    ).load(api.id);
  }
}
