import { Injectable } from '@nestjs/common';
import {
  type Catalogue,
  catalogueSchema,
  type LimitPolicy,
  resolveLimit,
  ruleFieldsOf,
} from '@tollgate/contracts';
import * as z from 'zod';
import { type TierRow, TiersRepository, type TierVersionRow } from '../../catalogue/index.js';
import {
  type EffectiveLimitRow,
  readAdjustments,
  type StoredAdjustment,
  TenantsRepository,
  toEffectiveLimit,
} from '../../customers/index.js';
import { RevisionsRepository } from '../../distribution/index.js';
import type { LimitIntroduction, LimitLadder, LimitLadderArgs } from './revisions.graphql.js';
import { RevisionHistoryRepository } from './revisions.repository.js';

/** Earlier states that a search for the cause of a value compares. */
const MAX_STEPS = 50;

const scheduledSchema = z.array(z.object({ at: z.coerce.date(), adjustments: z.unknown() }));

interface Published {
  revision: number;
  tierKey: string;
  pinnedVersion: number | null;
  adjustments: StoredAdjustment[];
  /** Soonest first. */
  scheduled: { at: Date; adjustments: StoredAdjustment[] }[];
}

interface Ladder {
  tier: TierRow;
  version: TierVersionRow;
  adjustments: StoredAdjustment[];
  limit: EffectiveLimitRow;
}

/** Resolves a tenant's limit as it was in an earlier revision, and finds the change that introduced its value. */
@Injectable()
export class LimitLadderService {
  constructor(
    private readonly history: RevisionHistoryRepository,
    private readonly revisions: RevisionsRepository,
    private readonly tenants: TenantsRepository,
    private readonly tiers: TiersRepository,
  ) {}

  /** Null if the tenant had no such limit then, or the revision is no longer stored. */
  async find({ tenantKey, apiKey, limitName, at, ...args }: LimitLadderArgs): Promise<LimitLadder | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const row = args.revision == null ? await this.history.newest() : await this.history.find(args.revision);
    const revision = row?.number ?? args.revision;
    if (tenant === null || revision == null) return null;
    const search = new LadderSearch(this.revisions, this.tiers, {
      tenantId: tenant.id,
      apiKey,
      limitName,
      catalogueRevisions: await this.revisions.listCatalogueRevisions(),
    });
    const now = at ?? new Date();
    const ladder = await search.read(revision, now);
    if (ladder === null) return null;
    const { tier, version, adjustments, limit } = ladder;
    const sources = await this.history.listSources(adjustments.map(({ id }) => id));
    return {
      revision,
      publishedAt: row?.publishedAt ?? null,
      tierKey: tier.key,
      tierName: tier.name,
      tierVersion: version.number,
      limit,
      sources,
      introduced: await this.findIntroduction(search, { revision, at: now }, (changeIds) =>
        this.history.listChanges(changeIds, { tenantKey, entityIds: [version.tierId, limit.limit.apiId] }),
      ),
    };
  }

  private async findIntroduction(
    search: LadderSearch,
    { revision, at }: { revision: number; at: Date },
    listChanges: (changeIds: string[]) => Promise<LimitIntroduction['changes']>,
  ): Promise<LimitIntroduction | null> {
    const publishedAt = async (number: number) => (await this.history.find(number))?.publishedAt;
    const origin = await search.findOrigin(revision, at, publishedAt);
    if (origin === null) return null;
    if (origin.adjustmentIds.length > 0) {
      const sources = await this.history.listSources(origin.adjustmentIds);
      const changeIds = sources.flatMap(({ changeId }) => changeId ?? []);
      return { ...origin, isScheduled: true, changes: await listChanges(changeIds) };
    }
    const row = await this.history.find(origin.revision);
    return { ...origin, isScheduled: false, changes: await listChanges(row?.changeIds ?? []) };
  }
}

interface Origin {
  revision: number;
  at: Date;
  /** Adjustments that started or ended on schedule then; empty if the revision itself introduced the value. */
  adjustmentIds: string[];
}

/** Reads one limit of one tenant in several revisions. */
class LadderSearch {
  private readonly catalogues = new Map<number, Catalogue>();

  constructor(
    private readonly revisions: RevisionsRepository,
    private readonly tiers: TiersRepository,
    private readonly target: {
      tenantId: string;
      apiKey: string;
      limitName: string;
      /** Ascending. */
      catalogueRevisions: readonly number[];
    },
  ) {}

  /** Null if the tenant had no such limit, or its state then is not stored. */
  async read(revision: number, at: Date): Promise<Ladder | null> {
    const state = await this.readState(revision);
    const number = state && (await this.versionIn(state, revision));
    const tier = state && (await this.tiers.findByKey(state.tierKey));
    const version = tier && number && (await this.tiers.findVersion(tier.id, number));
    if (!state || !tier || !version) return null;
    const { apiKey, limitName } = this.target;
    const limits = (await this.tiers.listLimits([version.id])).get(version.id) ?? [];
    const base = limits.find((limit) => limit.apiKey === apiKey && limit.name === limitName);
    if (base === undefined) return null;
    const adjustments = adjustmentsAt(state, at);
    const byId = new Map(adjustments.map((adjustment) => [adjustment.id, adjustment]));
    const resolved = resolveLimit(base.policy, adjustments);
    return { tier, version, adjustments, limit: { ...toEffectiveLimit(base, resolved, byId), live: null } };
  }

  /** When the value in effect at a time was introduced; null if that is no longer stored. */
  async findOrigin(
    revision: number,
    at: Date,
    publishedAt: (revision: number) => Promise<Date | undefined>,
  ): Promise<Origin | null> {
    const value = await this.valueAt(revision, at);
    for (let step = 0; step < MAX_STEPS; step++) {
      const state = await this.readState(revision);
      if (state === null) return null;
      const scheduled = await this.findScheduled(state, revision, at, value);
      if (scheduled !== undefined) return scheduled;
      const introduced = Math.max(state.revision, await this.firstWithVersion(state, revision));
      const introducedAt = await publishedAt(introduced);
      if (introducedAt === undefined) return null;
      const isFirst = (await this.readState(introduced - 1)) === null;
      if (isFirst || (await this.valueAt(introduced - 1, introducedAt)) !== value)
        return { revision: introduced, at: introducedAt, adjustmentIds: [] };
      revision = introduced - 1;
      at = introducedAt;
    }
    return null;
  }

  /** The latest scheduled change up to `at` that introduced the value. */
  private async findScheduled(
    state: Published,
    revision: number,
    at: Date,
    value: string | undefined,
  ): Promise<Origin | undefined> {
    for (const change of state.scheduled.filter((one) => one.at <= at).toReversed()) {
      const before = new Date(change.at.getTime() - 1);
      if ((await this.valueAt(revision, before)) === value) continue;
      const [old, next] = [adjustmentsAt(state, before), change.adjustments].map((list) =>
        list.map(({ id }) => id),
      );
      const adjustmentIds = [
        ...(next ?? []).filter((id) => old?.includes(id) !== true),
        ...(old ?? []).filter((id) => next?.includes(id) !== true),
      ];
      return { revision, at: change.at, adjustmentIds };
    }
    return undefined;
  }

  /** The rule in effect, to compare; undefined without such a limit. */
  private async valueAt(revision: number, at: Date): Promise<string | undefined> {
    const ladder = await this.read(revision, at);
    return ladder === null ? undefined : ruleText(ladder.limit.limit.policy);
  }

  private async readState(revision: number): Promise<Published | null> {
    const row = await this.revisions.findTenant(this.target.tenantId, revision);
    return (
      row && {
        revision: row.revision,
        tierKey: row.tier,
        pinnedVersion: row.pinnedVersion,
        adjustments: readAdjustments(row.adjustments),
        scheduled: scheduledSchema
          .parse(row.scheduled)
          .map((change) => ({ at: change.at, adjustments: readAdjustments(change.adjustments) })),
      }
    );
  }

  private async versionIn({ tierKey, pinnedVersion }: Published, revision: number): Promise<number | null> {
    if (pinnedVersion !== null) return pinnedVersion;
    const catalogue = await this.readCatalogue(this.catalogueIndexIn(revision));
    return catalogue?.tiers.find(({ key }) => key === tierKey)?.currentVersion ?? null;
  }

  /** The first revision since that of `state` with the version that applies in `revision`; versions only grow. */
  private async firstWithVersion(state: Published, revision: number): Promise<number> {
    if (state.pinnedVersion !== null) return state.revision;
    const version = await this.versionIn(state, revision);
    let [low, high] = [this.catalogueIndexIn(state.revision), this.catalogueIndexIn(revision)];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const tier = (await this.readCatalogue(middle))?.tiers.find(({ key }) => key === state.tierKey);
      if (tier?.currentVersion === version) high = middle;
      else low = middle + 1;
    }
    return this.target.catalogueRevisions[high] ?? state.revision;
  }

  /** Index of the catalogue of a revision; -1 if it is not stored. */
  private catalogueIndexIn(revision: number): number {
    return this.target.catalogueRevisions.findLastIndex((one) => one <= revision);
  }

  private async readCatalogue(index: number): Promise<Catalogue | undefined> {
    const revision = this.target.catalogueRevisions[index];
    if (revision === undefined) return undefined;
    const known = this.catalogues.get(revision);
    const text = known === undefined ? await this.revisions.findCatalogueText(revision) : null;
    if (text === null) return known;
    const catalogue = catalogueSchema.parse(JSON.parse(text));
    this.catalogues.set(revision, catalogue);
    return catalogue;
  }
}

/** Nodes apply scheduled changes by time. */
function adjustmentsAt({ adjustments, scheduled }: Published, at: Date): StoredAdjustment[] {
  return scheduled.findLast((change) => change.at <= at)?.adjustments ?? adjustments;
}

function ruleText(policy: LimitPolicy): string {
  const fields = ['algorithm', 'limit', ...ruleFieldsOf(policy.algorithm)] as (keyof LimitPolicy)[];
  return JSON.stringify(fields.map((field) => policy[field]));
}
