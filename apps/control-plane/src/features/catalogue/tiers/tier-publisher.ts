import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { type CarryOver, LimitOrigin, PublishAudience } from '../../../platform/prisma/schema.js';
import { ApisRepository, type ApiWithParts } from '../apis/apis.repository.js';
import { type CheckedLimit, findStorageChanges, type KnownApi } from '../limits/limit.rules.js';
import type { LimitRecord } from '../limits/limit-record.js';
import { LimitStorageRepository } from '../limits/limit-storage.repository.js';
import { periodEnds, RolloutRepository } from './published-tiers.repository.js';
import {
  type PublicationTerms,
  type TierRow,
  TiersRepository,
  type TierVersionRow,
} from './tiers.repository.js';

/** Publishes versions of tiers in the transaction of a change. */
@Injectable()
export class TierPublisher {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly rollouts: RolloutRepository,
    private readonly apis: ApisRepository,
    private readonly storages: LimitStorageRepository,
    private readonly clock: Clock,
  ) {}

  /** The existing APIs of these keys. */
  async knownApis(change: Change, keys: readonly string[]): Promise<Map<string, KnownApi>> {
    return toKnownApis(await this.apis.listWithParts(change.tx, [...new Set(keys)]));
  }

  /** Errors for limits with another storage than the published limits of their name. */
  async findStorageChanges({ tx }: Change, limits: readonly CheckedLimit[]): Promise<UserError[]> {
    return findStorageChanges(limits, await this.storages.listForPublication(tx, limits));
  }

  /**
   * Publishes a draft that holds the tier's own limits, and adds `defaults` to it. Tenants outside the audience are pinned to
   * `current`, the version published so far, and their records are published too.
   */
  async publish(
    change: Change,
    tier: TierRow,
    { draft, current }: { draft: TierVersionRow; current: TierVersionRow | null },
    limits: readonly CheckedLimit[],
    terms: PublicationTerms,
  ): Promise<void> {
    const defaults = limits.filter(({ origin }) => origin === LimitOrigin.DEFAULT);
    await this.tiers.addLimits(change.tx, draft.id, defaults, limits.length - defaults.length);
    if (current !== null) await this.pinTenants(change, tier, current.number, terms);
    await this.tiers.publishDraft(change.tx, draft, { ...terms, publishedAt: this.clock.now() });
    change.publish('CATALOGUE', `tier:${tier.key}`);
  }

  /** Publishes a version that differs from `current` only in default limits. The tier's draft does not change. */
  async republish(
    change: Change,
    tier: TierRow,
    current: TierVersionRow,
    limits: readonly CheckedLimit[],
    facts: { note: string; carryOver: CarryOver },
  ): Promise<number> {
    const draft = await this.tiers.createAutomatic(change.tx, tier.id, facts.note);
    const own = limits.filter(({ origin }) => origin === LimitOrigin.TIER);
    await this.tiers.addLimits(change.tx, draft.id, own, 0);
    await this.publish(change, tier, { draft, current }, limits, {
      publishedBy: change.caller.actor.label,
      carryOver: facts.carryOver,
      audience: PublishAudience.EVERYONE_NOW,
      cohort: null,
    });
    return draft.number;
  }

  private async pinTenants(
    change: Change,
    tier: TierRow,
    version: number,
    { audience, cohort, carryOver }: PublicationTerms,
  ): Promise<void> {
    const { tx } = change;
    if (audience === PublishAudience.EVERYONE_NOW) return;
    if (audience !== PublishAudience.AT_PERIOD_END) {
      const keys = await this.rollouts.pin(tx, tier, version, cohort ?? undefined);
      change.publish('TENANT', keys);
      return;
    }
    // A dry run reports the impact on all tenants once their periods have ended.
    if (change.caller.dryRun === true) return;
    // Repeats for tenants whose calendar changed in the meantime.
    for (;;) {
      const calendars = await this.rollouts.listCalendars(tx, tier.id);
      if (calendars.length === 0) return;
      const ends = periodEnds(calendars, this.clock.now());
      const keys = await this.rollouts.pinUntil(tx, tier.id, version, carryOver, ends);
      change.publish('TENANT', keys);
    }
  }
}

/** The APIs by key, reduced to the parts that limits refer to. */
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

/** A stored limit was checked before it was stored. */
export function toChecked({ policy, apiId, origin }: LimitRecord): CheckedLimit {
  return { policy, apiId, origin };
}
