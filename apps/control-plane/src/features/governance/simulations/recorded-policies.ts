import { Injectable } from '@nestjs/common';
import type { TenantRecord } from '@tollgate/contracts';
import { type ReplayPolicy, serializeCatalogue } from '@tollgate/decision-plane/internals';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { readAdjustments, toAdjustment } from '../../customers/index.js';
import { compileCatalogue, PolicyRepository, RevisionsRepository } from '../../distribution/index.js';
import type { SimulationDraft } from './simulation.rules.js';
import { type PastState, type RecordedTenant, SimulationsRepository } from './simulations.repository.js';

/** Policies of a replay, with the records of recorded tenants. */
export interface SimulatedPolicies {
  draft: ReplayPolicy;
  /** The revisions in force during the recording, ascending; the last one is the present policy. */
  live: ReplayPolicy[];
}

/** Newest revisions with other limits; older decisions are replayed by the first of them. */
const MAX_REVISIONS = 32;

/** Reads the policies that decided recorded requests, and the draft's. */
@Injectable()
export class RecordedPolicies {
  constructor(
    private readonly database: Database,
    private readonly policy: PolicyRepository,
    private readonly revisions: RevisionsRepository,
    private readonly simulations: SimulationsRepository,
  ) {}

  /** @param from start of the recording */
  read(draft: SimulationDraft, tenants: readonly RecordedTenant[], from: Date): Promise<SimulatedPolicies> {
    return this.database.transaction(async (tx) => {
      const revisions = await this.simulations.listRevisions(from, tx);
      const newest = revisions.at(-1)?.number ?? 1;
      const records = await this.presentRecords(tx, tenants, newest);
      const [apis, tiers] = [await this.policy.listApis(tx), await this.policy.listTiers(tx)];
      const catalogue = compileCatalogue(newest, { apis, tiers, serviceTokens: [] });
      const present = {
        revision: newest,
        catalogueText: serializeCatalogue(catalogue).text,
        tenants: records,
      };
      const changed = new Map(draft.tenants.map((record) => [record.tenant, record]));
      const drafted = {
        revision: newest,
        catalogueText: draft.catalogueText,
        tenants: records.map((record) => changed.get(record.tenant) ?? record),
      };
      const states = await this.simulations.listPastStates(
        tenants.map(({ id }) => id),
        tx,
      );
      return {
        draft: drafted,
        live: [...(await this.pastPolicies(tx, revisions, states, records)), present],
      };
    });
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

  /** The policies before the newest revision, where they differ from the next one. */
  private async pastPolicies(
    tx: Tx,
    revisions: readonly { number: number; catalogueRevision: number }[],
    states: readonly PastState[],
    records: readonly TenantRecord[],
  ): Promise<ReplayPolicy[]> {
    const isOther = (index: number) => {
      const [one, next] = [revisions[index], revisions[index + 1]];
      if (one === undefined || next === undefined) return false;
      if (one.catalogueRevision !== next.catalogueRevision) return true;
      return states.some(({ revision }) => revision > one.number && revision <= next.number);
    };
    const past = revisions.filter((_, index) => isOther(index)).slice(-MAX_REVISIONS);
    const policies: ReplayPolicy[] = [];
    for (const { number, catalogueRevision } of past) {
      const catalogueText = await this.revisions.findCatalogueText(catalogueRevision, tx);
      if (catalogueText === null) continue;
      policies.push({ revision: number, catalogueText, tenants: recordsAt(number, records, states) });
    }
    return policies;
  }
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
