import { Injectable } from '@nestjs/common';
import type { LimitPolicy } from '@tollgate/contracts';
import { invalid, notFound } from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import { TiersRepository } from '../../catalogue/index.js';
import type { MoveTarget } from './subscriptions.repository.js';

interface SoldVersion {
  tierKey: string;
  /** Null or omitted: the published one. */
  pinnedVersion?: number | null | undefined;
  /** The current tier of the tenant, allowed even if archived. */
  presentTierKey?: string;
}

/** The tier versions that tenants can use. */
@Injectable()
export class SoldVersions {
  constructor(private readonly tiers: TiersRepository) {}

  /** Versions that tenants can use, in the order of the inputs; queries each distinct one once. */
  async find(tx: Tx, inputs: readonly SoldVersion[]): Promise<(MoveTarget | UserError)[]> {
    const found = new Map<string, MoveTarget | UserError>();
    const targets: (MoveTarget | UserError)[] = [];
    for (const input of inputs) {
      const { tierKey, pinnedVersion, presentTierKey } = input;
      const key = JSON.stringify([tierKey, pinnedVersion ?? null, presentTierKey === tierKey]);
      const target = found.get(key) ?? (await this.findOne(tx, input));
      found.set(key, target);
      targets.push(target);
    }
    return targets;
  }

  /** Limits of the versions, by tier id. */
  async limitsOf(tx: Tx, targets: readonly MoveTarget[]): Promise<Map<string, LimitPolicy[]>> {
    const limits = new Map<string, LimitPolicy[]>();
    for (const { tierId, version } of targets) {
      if (limits.has(tierId)) continue;
      const row = await this.tiers.findVersion(tierId, version, tx);
      const found = row === null ? [] : ((await this.tiers.listLimits([row.id], tx)).get(row.id) ?? []);
      limits.set(
        tierId,
        found.map(({ policy }) => policy),
      );
    }
    return limits;
  }

  /** A version that tenants can use: the tier has a published version and is not archived. */
  private async findOne(
    tx: Tx,
    { tierKey, pinnedVersion = null, presentTierKey }: SoldVersion,
  ): Promise<MoveTarget | UserError> {
    const tier = await this.tiers.findByKey(tierKey, tx);
    if (tier === null) return notFound(['tierKey'], `tier "${tierKey}"`);
    if (tier.archivedAt !== null && tierKey !== presentTierKey) {
      return invalid(['tierKey'], 'This tier is archived and accepts no new tenants. Choose another tier.');
    }
    const published = await this.tiers.findByStatus(tx, tier.id, TierVersionStatus.PUBLISHED);
    if (published === null) {
      return invalid(['tierKey'], 'This tier has no published version yet.');
    }
    if (pinnedVersion === null) return { tierId: tier.id, version: published.number, isPinned: false };
    const version = await this.tiers.findVersion(tier.id, pinnedVersion, tx);
    if (version === null || version.status === TierVersionStatus.DRAFT) {
      return notFound(['pinnedVersion'], `published version ${pinnedVersion} of tier "${tierKey}"`);
    }
    return { tierId: tier.id, version: version.number, isPinned: true };
  }
}
