import { Injectable } from '@nestjs/common';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import type { LimitRecord } from './limit-record.js';
import { TiersRepository, type TierVersionRow } from './tiers.repository.js';

const CURRENT_VERSIONS = Symbol('draft and published version by tier id');
const LIMITS = Symbol('limits by tier version id');

/** Reads versions and limits for a whole list at once. */
@Injectable()
export class TierVersionLoader {
  constructor(private readonly tiers: TiersRepository) {}

  /** The draft or published version of a tier; undefined when it has none. */
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
