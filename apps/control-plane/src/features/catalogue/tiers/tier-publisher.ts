import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock/clock.js';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';
import { type CarryOver, LimitOrigin, PublishAudience } from '../../../platform/prisma/schema.js';
import { ApisRepository, type ApiWithParts } from '../apis/apis.repository.js';
import { DefaultLimitsRepository } from '../limits/default-limits.repository.js';
import {
  type CheckedLimit,
  checkPublication,
  type KnownApi,
  missingDefaults,
} from '../limits/limit.rules.js';
import type { LimitRecord } from '../limits/limit-record.js';
import { HoldsRepository, periodEnds } from './rollout.repository.js';
import {
  type PublicationTerms,
  type TierRow,
  TiersRepository,
  type TierVersionRow,
} from './tiers.repository.js';

/** Puts versions of tiers in force, inside the transaction of a change. */
@Injectable()
export class TierPublisher {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly holds: HoldsRepository,
    private readonly apis: ApisRepository,
    private readonly clock: Clock,
  ) {}

  /** What a version with these limits of its own would consist of: with each API's defaults that it does not have. */
  async complete(change: Change, own: readonly CheckedLimit[]): Promise<CheckedLimit[]> {
    const defaults = [...(await this.defaults.list('all', change.tx)).values()].flat();
    return [...own, ...missingDefaults(own, defaults)];
  }

  /** What keeps these limits from being published. */
  async check(change: Change, limits: readonly CheckedLimit[]): Promise<UserError[]> {
    return checkPublication(limits, await this.knownApis(change, limits));
  }

  /** APIs of these keys, or of these limits, as far as limits need them. */
  async knownApis(
    change: Change,
    limits: readonly (CheckedLimit | { apiKey: string })[],
  ): Promise<Map<string, KnownApi>> {
    const keys = limits.map((limit) => ('apiKey' in limit ? limit.apiKey : limit.policy.api));
    return toKnownApis(await this.apis.listWithParts(change.tx, [...new Set(keys)]));
  }

  /**
   * Puts a draft in force with these limits. Tenants of the tier that the publication is not for are pinned to the version
   * that they are on; the record of each is published.
   */
  async publish(
    change: Change,
    tier: TierRow,
    draft: TierVersionRow,
    limits: readonly CheckedLimit[],
    terms: PublicationTerms,
  ): Promise<void> {
    const current = await this.tiers.findByStatus(change.tx, tier.id, 'PUBLISHED');
    const added = limits.filter(({ origin }) => origin === LimitOrigin.DEFAULT);
    await this.tiers.addLimits(change.tx, draft.id, added, limits.length - added.length);
    if (current !== null) await this.hold(change, tier, current.number, terms);
    await this.tiers.publishDraft(change.tx, draft, { ...terms, publishedAt: this.clock.now() });
    await change.publish('CATALOGUE', `tier:${tier.key}`);
  }

  /** Puts a version in force that differs from the published one in the defaults only; a draft stays as it is. */
  async republish(
    change: Change,
    tier: TierRow,
    own: readonly LimitRecord[],
    limits: readonly CheckedLimit[],
    facts: { note: string; carryOver: CarryOver },
  ): Promise<void> {
    const version = await this.tiers.createAutomatic(change.tx, tier.id, facts.note);
    await this.tiers.addLimits(change.tx, version.id, own.map(toChecked), 0);
    await this.publish(change, tier, version, limits, {
      publishedBy: change.caller.actor.label,
      carryOver: facts.carryOver,
      audience: PublishAudience.EVERYONE_NOW,
      cohort: null,
    });
  }

  private async hold(
    change: Change,
    tier: TierRow,
    version: number,
    { audience, cohort, carryOver }: PublicationTerms,
  ): Promise<void> {
    const { tx } = change;
    if (audience === PublishAudience.EVERYONE_NOW) return;
    if (audience !== PublishAudience.AT_PERIOD_END) {
      const keys = await this.holds.hold(tx, tier, version, cohort ?? undefined);
      return change.publishMany('TENANT', keys);
    }
    // Nobody would be told of what comes at the end of their periods: a dry run shows where all of them will be then.
    if (change.caller.dryRun === true) return;
    // Again where a tenant got another calendar in between.
    for (;;) {
      const calendars = await this.holds.listCalendars(tx, tier.id);
      if (calendars.length === 0) return;
      const ends = periodEnds(calendars, this.clock.now());
      await change.publishMany('TENANT', await this.holds.holdUntil(tx, tier.id, version, carryOver, ends));
    }
  }
}

/** What APIs know of themselves, by key. */
export function toKnownApis(apis: readonly ApiWithParts[]): Map<string, KnownApi> {
  return new Map(
    apis.map((api) => [
      api.key,
      {
        id: api.id,
        operations: new Map(api.operations.map(({ name, cost }) => [name, Number(cost)])),
        pools: new Map(api.pools.map((pool) => [pool.name, pool])),
      },
    ]),
  );
}

/** A stored limit as one that has been checked: it was, when it was stored. */
export function toChecked({ policy, apiId, origin }: LimitRecord): CheckedLimit {
  return { policy, apiId, origin };
}
