import { Injectable } from '@nestjs/common';
import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ImpactSource, type PublishedEntity } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import {
  Impact,
  type ImpactedTenant,
  type ImpactOverrun,
} from '../../../platform/graphql/mutation.graphql.js';
import { Log } from '../../../platform/log.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { compileCatalogue, PolicyRepository } from '../../distribution/index.js';
import { ImpactRepository, type OverrunRow } from './impact.repository.js';
import {
  type AffectedGroup,
  findAffected,
  type LimitProfile,
  type OverrunProbe,
  type PolicyView,
  probeOf,
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

const MAX_NAMED = 20;

/** Decreased limits whose recent usage is examined per change. */
const MAX_PROBES = 12;

@Resolver(() => Impact)
export class ImpactResolver {
  constructor(
    private readonly tenants: ImpactRepository,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Some affected tenants, those with decreased limits first. */
  @ResolveField()
  async sample(@Parent() { groups, single }: FoundImpact): Promise<ImpactedTenant[]> {
    const named: ImpactedTenant[] = [];
    for (const group of [...groups].sort((a, b) => Number(b.decreased) - Number(a.decreased))) {
      const room = MAX_NAMED - named.length;
      if (room === 0) break;
      const { increased, decreased } = group;
      const found = await this.tenants.list(group, single, room);
      named.push(
        ...found.map(({ key, name }) => ({ tenantKey: key, tenantName: name, increased, decreased })),
      );
    }
    return named;
  }

  /** Tenants whose recent usage exceeds the new limits; null if the query timed out. */
  @ResolveField()
  async overruns(@Parent() { groups, single }: FoundImpact): Promise<ImpactOverrun[] | null> {
    const probes = groups
      .filter(({ profile }) => profile?.status === 'active')
      .flatMap((group) => probesOf(group))
      .slice(0, MAX_PROBES);
    if (probes.length === 0) return [];
    try {
      const options = { single, now: this.clock.now(), first: MAX_NAMED };
      const found = await this.tenants.listOverruns(probes, options);
      return found
        .flatMap((rows, i) => rows.map((row) => toOverrun(row, probes[i]?.probe as OverrunProbe)))
        .sort((a, b) => b.peak / b.limit - a.peak / a.limit)
        .slice(0, MAX_NAMED);
    } catch (error) {
      this.log.warn({ error: String(error) }, 'recent usage above decreased limits not computed');
      return null;
    }
  }
}

function probesOf(group: AffectedGroup): { group: AffectedGroup; probe: OverrunProbe }[] {
  return group.decreasedLimits.flatMap((policy) => {
    const probe = probeOf(policy);
    return probe === undefined ? [] : [{ group, probe }];
  });
}

function toOverrun(
  { key, name, peak, excess, units, at }: OverrunRow,
  { policy, limit, lookBackMs }: OverrunProbe,
): ImpactOverrun {
  return {
    tenantKey: key,
    tenantName: name,
    apiKey: policy.api,
    limitName: policy.name,
    limit,
    at,
    peak: Number(peak),
    excess: Number(excess),
    units: Number(units),
    days: lookBackMs / 86_400_000,
  };
}
