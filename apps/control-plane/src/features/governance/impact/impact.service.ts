import { Injectable } from '@nestjs/common';
import { ImpactSource, type PublishedEntity } from '../../../platform/changes/change.js';
import { type Impact } from '../../../platform/graphql/mutation.graphql.js';
import { type Tx } from '../../../platform/prisma/database.js';
import { compileCatalogue, PolicyRepository } from '../../distribution/index.js';
import { ImpactRepository } from './impact.repository.js';
import {
  type AffectedGroup,
  findAffected,
  type LimitProfile,
  type PolicyView,
  profileKey,
  profileOf,
} from './impact.rules.js';

/** An impact with the groups from which names and usage are resolved on demand. */
export interface FoundImpact extends Impact {
  groups: readonly AffectedGroup[];
  /** Tenants in groups of their own; the other groups exclude them. */
  single: readonly string[];
}

/** Views are never published, so their number does not matter. */
const NO_REVISION = 1;

/** Computes the tenants that a change affects from the records for nodes, with the same compiler. */
@Injectable()
export class ImpactService extends ImpactSource {
  constructor(
    private readonly policy: PolicyRepository,
    private readonly profiles: ImpactRepository,
  ) {
    super();
  }

  override async read(tx: Tx, published: readonly PublishedEntity[]): Promise<PolicyView> {
    const isForAll = published.some(({ kind }) => kind === 'CATALOGUE');
    const changed = published.flatMap(({ kind, entityKey }) => (kind === 'TENANT' ? [entityKey] : []));
    const adjusted = isForAll ? await this.profiles.listAdjusted(tx) : [];
    const single = [...new Set([...changed, ...adjusted])];
    const [apis, tiers] = [await this.policy.listApis(tx), await this.policy.listTiers(tx)];
    const catalogue = compileCatalogue(NO_REVISION, { apis, tiers, serviceTokens: [] });
    const view: PolicyView = { catalogue, profiles: new Map(), tenants: new Map(), others: new Map() };
    for await (const page of this.policy.listTenantPages(tx, single, NO_REVISION)) {
      for (const { tenant, record } of page) {
        if (record !== null) view.tenants.set(tenant, remember(view, profileOf(record)));
      }
    }
    if (isForAll) await this.addOthers(tx, view, single);
    return view;
  }

  override compare(before: PolicyView, after: PolicyView): FoundImpact {
    const { counts, groups } = findAffected(before, after);
    return { ...counts, groups, single: [...after.tenants.keys()] };
  }

  private async addOthers(tx: Tx, view: PolicyView, single: readonly string[]): Promise<void> {
    for (const { profile, tenants } of await this.profiles.count(tx, single)) {
      view.others.set(remember(view, profile), tenants);
    }
  }
}

function remember(view: PolicyView, profile: LimitProfile): string {
  const key = profileKey(profile);
  view.profiles.set(key, profile);
  return key;
}
