import { Injectable } from '@nestjs/common';
import {
  type Catalogue,
  catalogueSchema,
  coversApi,
  type LimitPolicy,
  resolveLimit,
  ruleFieldsOf,
} from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import * as z from 'zod';
import { TierVersionStatus } from '../../../platform/prisma/schema.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import {
  type LimitRecord,
  type TierRow,
  TiersRepository,
  type TierVersionRow,
} from '../../catalogue/index.js';
import {
  type EffectiveLimitRow,
  readAdjustments,
  type StoredAdjustment,
  type SubjectRuleRow,
  SubjectRulesRepository,
  TenantsRepository,
  toEffectiveLimit,
  withSubjectRule,
} from '../../customers/index.js';
import { RevisionsRepository } from '../../distribution/index.js';
import type { LimitLadder, LimitLadderArgs, RevisionChange } from './revisions.graphql.js';
import { RevisionHistoryRepository } from './revisions.repository.js';

/** Earlier states that a search for the cause of a value compares. */
const MAX_STEPS = 50;

const MOVES: readonly AuditAction[] = ['tenant.tierChange', 'tenant.versionFollow'];

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
  state: Published;
  tier: TierRow;
  version: TierVersionRow;
  adjustments: StoredAdjustment[];
  /** The limit of the tier version, without adjustments. */
  base: LimitRecord;
  limit: EffectiveLimitRow;
}

/** Resolves a tenant's limit as it was in an earlier revision, and finds the changes that introduced each part of its value. */
@Injectable()
export class LimitLadderService {
  constructor(
    private readonly history: RevisionHistoryRepository,
    private readonly revisions: RevisionsRepository,
    private readonly tenants: TenantsRepository,
    private readonly tiers: TiersRepository,
    private readonly subjectRules: SubjectRulesRepository,
  ) {}

  /** Null if the tenant had no such limit then, or the revision is no longer stored. */
  async find({ tenantKey, apiKey, limitName, at, ...args }: LimitLadderArgs): Promise<LimitLadder | null> {
    const row = args.revision == null ? await this.history.newest() : await this.history.find(args.revision);
    const revision = row?.number ?? args.revision;
    const search = await this.searchOf({ tenantKey, apiKey, limitName });
    if (search === null || revision == null) return null;
    const now = at ?? new Date();
    const ladder = await search.read(revision, now);
    if (ladder === null) return null;
    const publishedAt = async (number: number) => (await this.history.find(number))?.publishedAt;
    const findOrigin = (ruleOf: OriginSearch['ruleOf']) =>
      search.findOrigin({ revision, at: now, ruleOf, publishedAt });
    const [origin, tierOrigin] = [await findOrigin(effectiveRule), await findOrigin(tierRule)];
    const { tier, version, adjustments } = ladder;
    const rule = await this.findRule(args.subjectRuleId, search.target.tenantId, ladder.limit);
    const limit = rule === null ? ladder.limit : withSubjectRule(ladder.limit, rule);
    const sources = rule === null ? adjustments : [...adjustments, rule];
    return {
      revision,
      publishedAt: row?.publishedAt ?? null,
      tierKey: tier.key,
      tierName: tier.name,
      tierVersion: version.number,
      limit,
      sources: await this.history.listSources(sources.map(({ id }) => id)),
      tierChange: tierOrigin && (await this.findTierChange(search, tenantKey, tierOrigin, MOVES)),
      introduced: origin && {
        revision: origin.revision,
        at: origin.at,
        isScheduled: origin.isScheduled,
        changes: await this.listCauses(search, tenantKey, origin),
      },
    };
  }

  /** The limit alone, without the changes behind it; null as in `find`. */
  async findLimit({
    revision,
    at,
    subjectRuleId,
    ...limit
  }: LimitLadderArgs): Promise<EffectiveLimitRow | null> {
    const number = revision ?? (await this.history.newest())?.number;
    if (number === undefined) return null;
    const search = await this.searchOf(limit);
    const ladder = await search?.read(number, at ?? new Date());
    if (search == null || ladder == null) return null;
    const rule = await this.findRule(subjectRuleId, search.target.tenantId, ladder.limit);
    return rule === null ? ladder.limit : withSubjectRule(ladder.limit, rule);
  }

  /** A rule of the tenant for the limit, in effect or not. */
  private async findRule(
    id: string | null | undefined,
    tenantId: string,
    { limit: { policy } }: EffectiveLimitRow,
  ): Promise<SubjectRuleRow | null> {
    const rule = id == null ? null : await this.subjectRules.findById(id);
    const isAbout = rule?.limitName === policy.name && rule.apiKey === policy.api;
    return isAbout && rule.tenantId === tenantId ? rule : null;
  }

  /** Null if the tenant does not exist. */
  private async searchOf({
    tenantKey,
    apiKey,
    limitName,
  }: Pick<LimitLadderArgs, 'tenantKey' | 'apiKey' | 'limitName'>): Promise<LadderSearch | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const catalogueRevisions = await runInScope('all', () => this.revisions.listCatalogueRevisions());
    const target = { tenantId: tenant.id, apiKey, limitName, catalogueRevisions };
    return new LadderSearch(this.revisions, this.tiers, target);
  }

  /** The changes of the tier's limit and of adjustments of the limit that make up the difference at its origin. */
  private async listCauses(
    search: LadderSearch,
    tenantKey: string,
    origin: Origin,
  ): Promise<RevisionChange[]> {
    const { before, after, isScheduled } = origin;
    const [old, next] = [before, after].map(
      (ladder) => ladder?.limit.provenance.map(({ adjustmentId }) => adjustmentId) ?? [],
    ) as [string[], string[]];
    const started = next.filter((id) => !old.includes(id));
    const ended = old.filter((id) => !next.includes(id));
    // A scheduled end is part of the change that made the adjustment.
    const changes = await this.history.listAdjustmentChanges(
      isScheduled ? { started: [...started, ...ended], ended: [] } : { started, ended },
    );
    if (before !== null && tierRule(before) === tierRule(after)) return changes;
    const starts: AuditAction[] = ['tenant.create', ...MOVES];
    const tierChange = await this.findTierChange(search, tenantKey, origin, starts);
    return tierChange === null ? changes : [tierChange, ...changes];
  }

  /** The publication of the limit in the tier, or the tenant's move to the tier or version if it is later. */
  private async findTierChange(
    search: LadderSearch,
    tenantKey: string,
    { revision, before, after }: Origin,
    moves: readonly AuditAction[],
  ): Promise<RevisionChange | null> {
    const { tierKey, pinnedVersion } = after.state;
    const { apiId } = after.base;
    const version = await search.findFirstVersion(after);
    const publication = version && (await this.history.findPublication({ tierKey, apiId }, version));
    if (before?.state.tierKey === tierKey && before.state.pinnedVersion === pinnedVersion) return publication;
    const changeIds = (await this.history.find(revision))?.changeIds ?? [];
    const move = await this.history.findLast(tenantKey, changeIds, moves);
    return publication && move && publication.at > move.at ? publication : (move ?? publication);
  }
}

/** Where a value was introduced. */
interface Origin {
  revision: number;
  at: Date;
  /** Whether adjustments started or ended on schedule then, without a new revision. */
  isScheduled: boolean;
  /** Null if the tenant had no such limit before, or that is not stored. */
  before: Ladder | null;
  after: Ladder;
}

interface OriginSearch {
  revision: number;
  at: Date;
  ruleOf: (ladder: Ladder) => string;
  publishedAt: (revision: number) => Promise<Date | undefined>;
}

/** Reads one limit of one tenant in several revisions. */
class LadderSearch {
  private readonly catalogues = new Map<number, Catalogue>();

  constructor(
    private readonly revisions: RevisionsRepository,
    private readonly tiers: TiersRepository,
    readonly target: {
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
    const base = (await this.listBases([version])).get(version.id);
    if (base === undefined) return null;
    const adjustments = adjustmentsAt(state, at);
    const byId = new Map(adjustments.map((adjustment) => [adjustment.id, adjustment]));
    const resolved = resolveLimit(base.policy, adjustments);
    return {
      ...{ state, tier, version, adjustments, base },
      limit: { ...toEffectiveLimit(base, resolved, byId), live: null },
    };
  }

  /** When the value in effect at a time was introduced; null if that is no longer stored. */
  async findOrigin({ ruleOf, publishedAt, ...start }: OriginSearch): Promise<Origin | null> {
    let { revision, at } = start;
    for (let step = 0; step < MAX_STEPS; step++) {
      const after = await this.read(revision, at);
      if (after === null) return null;
      const scheduled = await this.findScheduled(after, revision, at, ruleOf);
      if (scheduled !== undefined) return scheduled;
      const { state } = after;
      const introduced = Math.max(state.revision, await this.firstWithVersion(state, revision));
      const introducedAt = await publishedAt(introduced);
      if (introducedAt === undefined) return null;
      const before = await this.read(introduced - 1, introducedAt);
      if (before === null || ruleOf(before) !== ruleOf(after))
        return { revision: introduced, at: introducedAt, isScheduled: false, before, after };
      revision = introduced - 1;
      at = introducedAt;
    }
    return null;
  }

  /** The latest scheduled change up to `at` that introduced the value. */
  private async findScheduled(
    after: Ladder,
    revision: number,
    at: Date,
    ruleOf: (ladder: Ladder) => string,
  ): Promise<Origin | undefined> {
    for (const change of after.state.scheduled.filter((one) => one.at <= at).toReversed()) {
      const before = await this.read(revision, new Date(change.at.getTime() - 1));
      if (before !== null && ruleOf(before) !== ruleOf(after))
        return { revision, at: change.at, isScheduled: true, before, after };
    }
    return undefined;
  }

  /** The first of the consecutive versions with the rule of this one; null if there are too many to compare. */
  async findFirstVersion({ version: { tierId, number }, base }: Ladder): Promise<TierVersionRow | null> {
    const { PUBLISHED, ARCHIVED } = TierVersionStatus;
    const versions = (await this.tiers.listVersions([tierId], [PUBLISHED, ARCHIVED])).get(tierId) ?? [];
    const newest = versions.filter((version) => version.number <= number).slice(0, MAX_STEPS);
    const bases = await this.listBases(newest);
    const isSame = ({ id }: TierVersionRow) => ruleText(bases.get(id)?.policy) === ruleText(base.policy);
    const next = newest.findIndex((version) => !isSame(version));
    if (next < 0 && newest.length === MAX_STEPS) return null;
    return newest.at(next < 0 ? -1 : next - 1) ?? null;
  }

  /** The limit in these versions, by version id. */
  private async listBases(versions: readonly TierVersionRow[]): Promise<Map<string, LimitRecord>> {
    const { apiKey, limitName } = this.target;
    const limits = await this.tiers.listLimits(versions.map(({ id }) => id));
    const own = [...limits.values()]
      .flat()
      .filter(({ name, policy }) => name === limitName && coversApi(policy, apiKey));
    return new Map(own.map((limit) => [limit.tierVersionId, limit]));
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
    // Members may not read catalogues; of this one they learn the version of their own tier.
    const text =
      known === undefined ? await runInScope('all', () => this.revisions.findCatalogueText(revision)) : null;
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

const effectiveRule = ({ limit }: Ladder) => ruleText(limit.limit.policy);
const tierRule = ({ base }: Ladder) => ruleText(base.policy);

function ruleText(policy: LimitPolicy | undefined): string {
  if (policy === undefined) return '';
  const fields = ['algorithm', 'limit', ...ruleFieldsOf(policy.algorithm)] as (keyof LimitPolicy)[];
  return JSON.stringify(fields.map((field) => policy[field]));
}
