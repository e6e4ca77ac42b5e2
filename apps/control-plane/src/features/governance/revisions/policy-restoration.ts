import { Injectable } from '@nestjs/common';
import type { ApiRecord, Catalogue } from '@tollgate/contracts';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { type CarryOver, PublishAudience } from '../../../platform/prisma/schema.js';
import { ApisRepository, DefaultLimitsRepository, TiersRepository } from '../../catalogue/index.js';
import { defaultLimitsThen, type OriginalLimit } from './default-limits-then.js';
import { RollbackRepository } from './rollback.repository.js';
import type { RollbackPlan } from './rollback.rules.js';

/** Brings single tiers and APIs into the form in which nodes ran them, inside the transaction of a change. */
@Injectable()
export class PolicyRestoration {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly apis: ApisRepository,
    private readonly defaults: DefaultLimitsRepository,
    private readonly rollbacks: RollbackRepository,
    private readonly clock: Clock,
  ) {}

  /** Gives a tier its limits and weight. @returns false for a tier that is no more, or not in that version */
  async restoreTier(
    { tx, caller }: Change,
    toRevision: number,
    { key, version, weight }: RollbackPlan['tiers'][number],
    carryOver: CarryOver,
  ): Promise<boolean> {
    const tier = await this.tiers.findByKey(key, tx);
    if (tier === null) return false;
    if (version !== undefined) {
      if ((await this.tiers.findVersion(tier.id, version, tx)) === null) return false;
      const draft = await this.tiers.createAutomatic(tx, tier.id, `As in revision ${toRevision}`);
      await this.rollbacks.copyLimits(tx, tier.id, version, draft.id);
      await this.tiers.publishDraft(tx, draft, {
        publishedBy: caller.actor.label,
        publishedAt: this.clock.now(),
        carryOver,
        audience: PublishAudience.EVERYONE_NOW,
        cohort: null,
      });
    }
    await this.rollbacks.setWeight(tx, tier.id, weight);
    return true;
  }

  restoreApi({ tx }: Change, record: ApiRecord): Promise<void> {
    return this.rollbacks.restoreApi(tx, record);
  }

  /** Takes an API away that nodes did not know then, unless limits in force need it. */
  async removeApi({ tx }: Change, key: string): Promise<boolean> {
    const api = await this.apis.lockByKey(tx, key);
    if (api === null) return false;
    if ((await this.apis.listLiveLimits(tx, api.id)).length > 0) return false;
    await this.apis.delete(tx, api.id, this.clock.now());
    return true;
  }

  /** The default limits of the catalogue's APIs where they differ from what they are now, by the APIs' keys. */
  async planDefaults({ tx }: Change, { tiers, apis }: Catalogue): Promise<Map<string, OriginalLimit[]>> {
    const versions: OriginalLimit[][] = [];
    for (const { key, currentVersion } of tiers) {
      const tier = await this.tiers.findByKey(key, tx);
      const version = tier && (await this.tiers.findVersion(tier.id, currentVersion, tx));
      if (version !== null)
        versions.push((await this.tiers.listLimits([version.id], tx)).get(version.id) ?? []);
    }
    const ids = await this.rollbacks.listApiIds(
      tx,
      apis.map(({ key }) => key),
    );
    const now = await this.defaults.list('all', tx);
    return new Map(
      [...ids].flatMap(([key, id]): [string, OriginalLimit[]][] => {
        const then = defaultLimitsThen(id, versions, now.get(id) ?? []);
        return then === null ? [] : [[key, then]];
      }),
    );
  }

  async restoreDefaults({ tx }: Change, key: string, limits: readonly OriginalLimit[]): Promise<void> {
    const api = await this.apis.lockByKey(tx, key);
    if (api === null) return;
    await this.defaults.replace(tx, api.id, limits);
    await this.apis.raiseVersion(tx, api.id);
  }
}
