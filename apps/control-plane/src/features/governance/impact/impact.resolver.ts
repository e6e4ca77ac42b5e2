import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Clock } from '../../../platform/clock.js';
import {
  Impact,
  type ImpactedTenant,
  type ImpactOverrun,
} from '../../../platform/graphql/mutation.graphql.js';
import { Log } from '../../../platform/log.js';
import { ImpactRepository, type OverrunRow } from './impact.repository.js';
import { type AffectedGroup, type OverrunProbe, probeOf } from './impact.rules.js';
import { type FoundImpact } from './impact.service.js';

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
