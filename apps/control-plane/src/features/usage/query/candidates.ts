import { Injectable } from '@nestjs/common';
import { Args, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { coversApi } from '@tollgate/contracts';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { Clock } from '../../../platform/clock.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import { TiersRepository } from '../../catalogue/index.js';
import { type CandidateRow, CandidatesRepository } from './candidates.repository.js';

@ObjectType({
  description: 'Denials of a limit and of its candidate among the same decisions.',
})
export class CandidateComparison extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  from: field.dateTime('Start: when the version was published, at most seven days ago.'),
  to: field.dateTime('End.'),
  tenants: field.int('Tenants with such decisions.'),
  count: field.safeInt(
    'Decisions that checked both. Exact or low; decisions while Redis was unavailable are omitted.',
  ),
  liveDenied: field.safeInt('Those that the limit denied, or would have denied in shadow mode.'),
  candidateDenied: field.safeInt(
    'Those that the candidate would have denied. A request that the limit denied charges no counter: for a candidate above the limit, this is a lower bound.',
  ),
  newlyDenied: field.safeInt('Those that the limit allowed and the candidate would have denied.'),
  newlyAllowed: field.safeInt(
    'Those that the limit denied and the candidate would have allowed; an upper bound.',
  ),
}) {}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Versions published more recently are read by minute: their first hour also counts decisions before it. */
const BY_MINUTE_MS = 3 * HOUR_MS;

const LONGEST_MS = 7 * 24 * HOUR_MS;

/** Compares the limits of a tier with their candidates. */
@Injectable()
export class CandidatesService {
  constructor(
    private readonly candidates: CandidatesRepository,
    private readonly tiers: TiersRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Limits of the published version with a candidate, in their order, since its publication; with zeros if none was
   * checked. Empty for an unknown tier.
   */
  async list(tierKey: string): Promise<CandidateComparison[]> {
    const tier = await this.tiers.findByKey(tierKey);
    if (tier === null) return [];
    const versions = await this.tiers.listVersions([tier.id], [TierVersionStatus.PUBLISHED]);
    const [version] = versions.get(tier.id) ?? [];
    if (version?.publishedAt == null) return [];
    const limits = (await this.tiers.listLimits([version.id])).get(version.id) ?? [];
    const tried = limits.filter(({ policy }) => policy.candidate !== undefined);
    if (tried.length === 0) return [];
    const { interval, ...range } = rangeSince(version.publishedAt, this.clock.now());
    const rows = await this.candidates.list({ tierId: tier.id, number: version.number }, interval, range);
    return tried.map(({ policy }) => {
      const { api, name } = policy;
      const own = rows.filter(({ apiKey, limitName }) => limitName === name && coversApi(policy, apiKey));
      return { apiKey: api, limitName: name, ...range, ...countsOf(own) };
    });
  }
}

/** From the first whole minute or hour of a version, so that decisions before it are left out. */
export function rangeSince(
  publishedAt: Date,
  to: Date,
): { interval: 'MINUTE' | 'HOUR'; from: Date; to: Date } {
  const ageMs = to.getTime() - publishedAt.getTime();
  if (ageMs < BY_MINUTE_MS) {
    return { interval: 'MINUTE', from: new Date(ceilTo(publishedAt.getTime(), MINUTE_MS)), to };
  }
  const since = Math.max(publishedAt.getTime(), to.getTime() - LONGEST_MS);
  return { interval: 'HOUR', from: new Date(ceilTo(since, HOUR_MS)), to };
}

const ceilTo = (ms: number, stepMs: number) => Math.ceil(ms / stepMs) * stepMs;

/** Sums a limit's rows, one per API. Of several APIs, the tenants are those of the API with the most. */
function countsOf(rows: readonly CandidateRow[]) {
  const sum = (field: 'count' | 'liveDenied' | 'candidateDenied' | 'newlyDenied') =>
    rows.reduce((total, row) => total + row[field], 0n);
  const [count, liveDenied, candidateDenied, newlyDenied] = [
    sum('count'),
    sum('liveDenied'),
    sum('candidateDenied'),
    sum('newlyDenied'),
  ];
  return {
    tenants: Math.max(0, ...rows.map(({ tenants }) => tenants)),
    count: Number(count),
    liveDenied: Number(liveDenied),
    candidateDenied: Number(candidateDenied),
    newlyDenied: Number(newlyDenied),
    newlyAllowed: Number(liveDenied - (candidateDenied - newlyDenied)),
  };
}

/** Query cost of summing the rows of a tier's tenants. */
const SUMS_OF_ALL = 50;

@Resolver()
export class CandidatesResolver {
  constructor(private readonly service: CandidatesService) {}

  @RequirePermission('usage:read')
  @Query(() => [CandidateComparison], {
    name: 'candidateComparison',
    complexity: SUMS_OF_ALL,
    description: 'Limits of the published version of a tier beside their candidates.',
  })
  list(
    @Args('tierKey', { description: 'Key of the tier.' }) tierKey: string,
  ): Promise<CandidateComparison[]> {
    return this.service.list(tierKey);
  }
}
