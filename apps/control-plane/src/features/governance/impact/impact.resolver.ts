import { Injectable } from '@nestjs/common';
import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Clock } from '../../../platform/clock.js';
import {
  Impact,
  type ImpactedTenant,
  type ImpactOverrun,
} from '../../../platform/graphql/mutation.graphql.js';
import { Log } from '../../../platform/log.js';
import { ImpactRepository } from './impact.repository.js';
import { type AffectedGroup, type OverrunProbe, probeOf } from './impact.rules.js';
import { type FoundImpact } from './impact.service.js';

const MOST_NAMED = 20;

/** A change that decreases more than this is told of its first ones. */
const MOST_PROBES = 12;

/** Says who it is that a change reaches. */
@Injectable()
export class ImpactDetailsService {
  constructor(
    private readonly tenants: ImpactRepository,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Examples, those with decreased limits first. */
  async sample({ groups, single }: FoundImpact): Promise<ImpactedTenant[]> {
    const named: ImpactedTenant[] = [];
    for (const group of [...groups].sort((a, b) => Number(b.decreased) - Number(a.decreased))) {
      const room = MOST_NAMED - named.length;
      if (room === 0) break;
      const found = await this.tenants.list(group, single, room);
      named.push(
        ...found.map(({ key, name }) => ({
          tenantKey: key,
          tenantName: name,
          increased: group.increased,
          decreased: group.decreased,
        })),
      );
    }
    return named;
  }

  /** Who would have been refused more, by what passed lately; null when Postgres takes too long to say. */
  async overruns({ groups, single }: FoundImpact): Promise<ImpactOverrun[] | null> {
    const probes = groups
      .filter(({ profile }) => profile?.status === 'active')
      .flatMap((group) => probesOf(group))
      .slice(0, MOST_PROBES);
    if (probes.length === 0) return [];
    try {
      const options = { single, now: this.clock.now(), first: MOST_NAMED };
      const found = await this.tenants.listOverruns(probes, options);
      return found
        .flatMap((rows, i) => rows.map((row) => toOverrun(row, probes[i]?.probe as OverrunProbe)))
        .sort((a, b) => b.peak / b.limit - a.peak / a.limit)
        .slice(0, MOST_NAMED);
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
  { key, name, peak, at }: { key: string; name: string; peak: bigint; at: Date },
  { policy, limit }: OverrunProbe,
): ImpactOverrun {
  return {
    tenantKey: key,
    tenantName: name,
    apiKey: policy.api,
    limitName: policy.name,
    limit,
    peak: Number(peak),
    at,
  };
}

@Resolver(() => Impact)
export class ImpactResolver {
  constructor(private readonly details: ImpactDetailsService) {}

  @ResolveField()
  sample(@Parent() impact: FoundImpact): Promise<ImpactedTenant[]> {
    return this.details.sample(impact);
  }

  @ResolveField()
  overruns(@Parent() impact: FoundImpact): Promise<ImpactOverrun[] | null> {
    return this.details.overruns(impact);
  }
}
