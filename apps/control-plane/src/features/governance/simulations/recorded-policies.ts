import { Injectable } from '@nestjs/common';
import type { Catalogue, PlatformRule, TenantRecord } from '@tollgate/contracts';
import { serializeCatalogue } from '@tollgate/decision-plane/operate';
import type { ReplayPolicy } from '@tollgate/replay';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { readAdjustments, type SubjectRuleRow, toAdjustment, toSubjectRule } from '../../customers/index.js';
import { compileCatalogue, PolicyRepository, RevisionsRepository } from '../../distribution/index.js';
import type { SimulationDraft } from './simulation.rules.js';
import {
  type PastState,
  type RecordedRevision,
  type RecordedTenant,
  SimulationsRepository,
} from './simulations.repository.js';

/** Policies of a replay, with the records of recorded tenants. */
export interface SimulatedPolicies {
  draft: ReplayPolicy;
  /**
   * The policies in force during the recording, each with the first revision of its limits, ascending; the last one is the
   * present policy.
   */
  live: ReplayPolicy[];
  /** The first revision that `live` knows; undefined: all of the recording. */
  liveSince: number | undefined;
}

/** Newest policies with other limits of the recorded tenants; a bound of the memory. */
const MAX_POLICIES = 32;

/** Reads the policies that decided recorded requests, and the draft's. */
@Injectable()
export class RecordedPolicies {
  constructor(
    private readonly database: Database,
    private readonly policy: PolicyRepository,
    private readonly revisions: RevisionsRepository,
    private readonly simulations: SimulationsRepository,
    private readonly clock: Clock,
  ) {}

  /** @param from start of the recording */
  read(draft: SimulationDraft, tenants: readonly RecordedTenant[], from: Date): Promise<SimulatedPolicies> {
    return this.database.transaction(async (tx) => {
      const revisions = await this.simulations.listRevisions(from, tx);
      const newest = revisions.at(-1)?.number ?? 1;
      const records = await this.presentRecords(tx, tenants, newest);
      const [apis, tiers] = [await this.policy.listApis(tx), await this.policy.listTiers(tx)];
      const subjectRules = await this.policy.listPlatformRules(tx, from);
      const catalogue = compileCatalogue(newest, { apis, tiers, serviceTokens: [], subjectRules });
      const rules = await this.readRules(tx, tenants, from);
      const present = {
        revision: newest,
        catalogueText: serializeCatalogue(catalogue).text,
        tenants: records.map((record) => rules.present(record)),
      };
      const changed = new Map(draft.tenants.map((record) => [record.tenant, record]));
      const drafted = {
        revision: newest,
        catalogueText: withStartedRules(draft.catalogueText, subjectRules, this.clock.now()),
        tenants: records.map((record) => {
          const draftRecord = changed.get(record.tenant);
          return draftRecord === undefined ? rules.present(record) : rules.drafted(draftRecord);
        }),
      };
      const states = await this.simulations.listPastStates(
        tenants.map(({ id }) => id),
        tx,
      );
      const live = await this.livePolicies(tx, revisions, { states, records, rules, present });
      return { draft: drafted, ...live };
    });
  }

  private async readRules(tx: Tx, tenants: readonly RecordedTenant[], from: Date): Promise<RecordedRules> {
    const keys = new Map(tenants.map(({ id, key }) => [id, key]));
    const rows = await this.simulations.listSubjectRules([...keys.keys()], from, tx);
    return new RecordedRules(
      Map.groupBy(rows, ({ tenantId }) => keys.get(tenantId ?? '') ?? ''),
      this.clock.now(),
    );
  }

  private async presentRecords(
    tx: Tx,
    tenants: readonly RecordedTenant[],
    revision: number,
  ): Promise<TenantRecord[]> {
    const records: TenantRecord[] = [];
    const keys = tenants.map(({ key }) => key);
    for await (const page of this.policy.listTenantPages(tx, keys, revision)) {
      records.push(...page.flatMap(({ record }) => record ?? []));
    }
    return records;
  }

  /** Reads from the newest revision until all are known, or as far as memory and stored catalogues permit. */
  private async livePolicies(
    tx: Tx,
    revisions: readonly RecordedRevision[],
    { states, records, rules, present }: Recorded,
  ): Promise<Pick<SimulatedPolicies, 'live' | 'liveSince'>> {
    const tiers = tiersOf(records, states);
    let policy = present;
    const later: ReplayPolicy[] = [];
    const known = (liveSince?: number) => ({ live: [policy, ...later], liveSince });
    const [newest, ...older] = revisions.toReversed();
    if (newest === undefined) return known();
    let next = { ...newest, limits: await this.limitsOf(tx, newest, tiers) };
    for (const revision of older) {
      const { number, catalogueRevision, publishedAt } = revision;
      const isSameCatalogue = catalogueRevision === next.catalogueRevision;
      const limits = isSameCatalogue ? next.limits : await this.limitsOf(tx, revision, tiers);
      if (limits === undefined) return known(policy.revision);
      const isOther =
        limits.compared !== next.limits?.compared ||
        states.some((state) => state.revision > number && state.revision <= next.number);
      if (!isOther) policy = { ...policy, revision: number };
      else {
        if (later.length === MAX_POLICIES) return known(policy.revision);
        later.unshift(policy);
        const tenants = recordsAt(number, records, states).map((record) => rules.at(record, publishedAt));
        policy = { revision: number, catalogueText: limits.catalogueText, tenants };
      }
      next = { ...revision, limits };
    }
    return known();
  }

  /** The catalogue of a revision, and its parts that decide requests of these tiers; undefined if it is no longer stored. */
  private async limitsOf(
    tx: Tx,
    { catalogueRevision }: RecordedRevision,
    ofTiers: ReadonlySet<string>,
  ): Promise<{ catalogueText: string; compared: string } | undefined> {
    const catalogueText = await this.revisions.findCatalogueText(catalogueRevision, tx);
    if (catalogueText === null) return undefined;
    const { apis, tiers, subjectRules } = JSON.parse(catalogueText) as Catalogue;
    const compared = JSON.stringify([apis, tiers.filter(({ key }) => ofTiers.has(key)), subjectRules]);
    return { catalogueText, compared };
  }
}

interface Recorded {
  states: readonly PastState[];
  records: readonly TenantRecord[];
  rules: RecordedRules;
  present: ReplayPolicy;
}

/** Tiers that recorded tenants have or had. */
function tiersOf(records: readonly TenantRecord[], states: readonly PastState[]): Set<string> {
  const former = records.flatMap(({ moves = [] }) => moves);
  return new Set([...records, ...states, ...former].map(({ tier }) => tier));
}

/** Rules for subjects during a recording. Records have only those that have not ended since. */
class RecordedRules {
  /** @param byTenant oldest first */
  constructor(
    private readonly byTenant: ReadonlyMap<string, readonly SubjectRuleRow[]>,
    private readonly now: Date,
  ) {}

  /** The record with the rules of the present policy, also those that ended by their time. */
  present(record: TenantRecord): TenantRecord {
    return this.with(record, ({ removedAt }) => removedAt === null);
  }

  /** The record with the rules that a revision had. */
  at(record: TenantRecord, publishedAt: Date): TenantRecord {
    return this.with(
      record,
      ({ createdAt, removedAt }) =>
        createdAt < publishedAt && (removedAt === null || removedAt >= publishedAt),
    );
  }

  /** A record of a draft: with the rules that ended by their time, whose end is not its effect. */
  drafted(record: TenantRecord): TenantRecord {
    const { subjectRules = [], ...rest } = record;
    const known = this.byTenant.get(record.tenant) ?? [];
    const ended = known.filter(
      ({ removedAt, endsAt }) => removedAt === null && endsAt !== null && endsAt <= this.now,
    );
    const rules = [...ended.map(toSubjectRule), ...started(subjectRules, known, this.now)];
    return rules.length === 0 ? rest : { ...rest, subjectRules: rules };
  }

  private with(record: TenantRecord, isIncluded: (row: SubjectRuleRow) => boolean): TenantRecord {
    const { subjectRules: _, ...rest } = record;
    const rules = (this.byTenant.get(record.tenant) ?? []).filter(isIncluded).map(toSubjectRule);
    return rules.length === 0 ? rest : { ...rest, subjectRules: rules };
  }
}

/** Rules that start with the draft apply to the whole recording. */
function started<T extends { id: string; fromMs?: number | undefined }>(
  rules: readonly T[],
  known: readonly { id: string }[],
  now: Date,
): T[] {
  const ids = new Set(known.map(({ id }) => id));
  return rules.map((rule) => {
    const { fromMs, ...rest } = rule;
    const isDrafted = !ids.has(rule.id) && fromMs !== undefined && fromMs <= now.getTime();
    return isDrafted ? (rest as T) : rule;
  });
}

function withStartedRules(catalogueText: string, known: readonly PlatformRule[], now: Date): string {
  const catalogue = JSON.parse(catalogueText) as Catalogue;
  if (catalogue.subjectRules === undefined) return catalogueText;
  return JSON.stringify({ ...catalogue, subjectRules: started(catalogue.subjectRules, known, now) });
}

/** The records with the tier and adjustments of a revision. */
function recordsAt(
  revision: number,
  records: readonly TenantRecord[],
  states: readonly PastState[],
): TenantRecord[] {
  const then = new Map<string, PastState>();
  const newest = new Map<string, PastState>();
  for (const state of states) {
    newest.set(state.tenant, state);
    if (state.revision <= revision) then.set(state.tenant, state);
  }
  return records.map((record) => {
    const state = then.get(record.tenant);
    if (state === undefined || state === newest.get(record.tenant)) return record;
    const adjustments = readAdjustments(state.adjustments).map(toAdjustment);
    const { adjustments: _, adjusted: __, next: ___, moves: ____, ...rest } = record;
    return {
      ...rest,
      tier: state.tier,
      pinnedVersion: state.pinnedVersion,
      ...(adjustments.length === 0 ? {} : { adjustments, adjusted: adjustments.map((_, index) => index) }),
    };
  });
}
