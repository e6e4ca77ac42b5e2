import { Injectable } from '@nestjs/common';
import { Prisma, type Simulation } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { SimulationState } from '../../../platform/prisma/schema.js';
import type { SubjectRuleRow } from '../../customers/index.js';
import type { SimulationDraft, SimulationOutcome } from './simulation.rules.js';

export type SimulationRow = Simulation;

/** A tenant's tier and adjustments as published with a revision. */
export interface PastState {
  tenant: string;
  revision: number;
  tier: string;
  pinnedVersion: number | null;
  adjustments: unknown;
}

export interface RecordedRevision {
  number: number;
  catalogueRevision: number;
  publishedAt: Date;
}

/** Decisions of one tenant in a recording. */
export interface RecordedTenant {
  id: string;
  key: string;
  decisions: number;
}

const UNFINISHED = [SimulationState.WAITING, SimulationState.RUNNING];

/** A worker that gave no sign for this long has died. */
const LOST_MS = 30_000;

@Injectable()
export class SimulationsRepository {
  constructor(private readonly database: Database) {}

  find(id: string): Promise<SimulationRow | null> {
    return this.database.client.simulation.findUnique({ where: { id } });
  }

  /** The newest simulation of an equal draft that has not failed. */
  findEqual(digest: string, revision: number, since: Date): Promise<SimulationRow | null> {
    return this.database.client.simulation.findFirst({
      where: { digest, revision, createdAt: { gte: since }, state: { in: [...UNFINISHED, 'DONE'] } },
      orderBy: { createdAt: 'desc' },
    });
  }

  countUnfinished(): Promise<number> {
    return this.database.client.simulation.count({ where: { state: { in: UNFINISHED } } });
  }

  create({
    draft,
    ...data
  }: Omit<Prisma.SimulationCreateInput, 'draft'> & { draft: SimulationDraft }): Promise<SimulationRow> {
    return this.database.client.simulation.create({ data: { ...data, draft: draft as object } });
  }

  /** Takes the oldest one that waits or lost its worker. */
  async take(now: Date): Promise<SimulationRow | null> {
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      UPDATE "simulation" SET "state" = 'RUNNING', "beat_at" = ${now}, "replayed" = 0 WHERE "id" = (
        SELECT "id" FROM "simulation"
        WHERE "state" = 'WAITING' OR ("state" = 'RUNNING' AND "beat_at" < ${new Date(now.getTime() - LOST_MS)})
        ORDER BY "created_at" LIMIT 1 FOR UPDATE SKIP LOCKED
      ) RETURNING "id"`;
    return rows[0] === undefined ? null : this.find(rows[0].id);
  }

  /** @returns false if it was canceled */
  async beat(id: string, replayed: number, now: Date): Promise<boolean> {
    const { count } = await this.database.client.simulation.updateMany({
      where: { id, state: SimulationState.RUNNING },
      data: { replayed, beatAt: now },
    });
    return count > 0;
  }

  /** Ends it, unless it has ended. The draft is not needed any more. */
  async end(
    id: string,
    ending: {
      state: SimulationState;
      message?: string;
      result?: SimulationOutcome;
      replayed?: number;
    },
    now: Date,
  ): Promise<void> {
    const { result, ...rest } = ending;
    await this.database.client.simulation.updateMany({
      where: { id, state: { in: UNFINISHED } },
      data: { ...rest, ...(result && { result: result as object }), draft: Prisma.DbNull, endedAt: now },
    });
  }

  async deleteBefore(before: Date): Promise<void> {
    await this.database.client.simulation.deleteMany({ where: { createdAt: { lt: before } } });
  }

  /** Tenants with decisions in the range, µs, by key. @param keys empty: all */
  async listRecorded(fromUs: number, toUs: number, keys: readonly string[]): Promise<RecordedTenant[]> {
    const chosen = keys.length === 0 ? Prisma.empty : Prisma.sql`AND t."key" = ANY (${[...keys]}::text[])`;
    return this.database.client.$queryRaw<RecordedTenant[]>`
      SELECT t."id", t."key", sum(b."rows")::float8 AS "decisions"
      FROM "traffic_block" b JOIN "tenant" t ON t."id" = b."tenant_id"
      WHERE b."replaced_by" IS NULL AND b."to_us" >= ${BigInt(fromUs)} AND b."from_us" < ${BigInt(toUs)} ${chosen}
      GROUP BY t."id", t."key" ORDER BY t."key"`;
  }

  /** Revisions since `from`, and the one in force then, ascending. */
  async listRevisions(from: Date, tx: Tx): Promise<RecordedRevision[]> {
    const select = { number: true, catalogueRevision: true, publishedAt: true } as const;
    const since = await tx.policyRevision.findMany({
      where: { publishedAt: { gt: from } },
      orderBy: { number: 'asc' },
      select,
    });
    const before = await tx.policyRevision.findFirst({
      where: { publishedAt: { lte: from } },
      orderBy: { number: 'desc' },
      select,
    });
    return before === null ? since : [before, ...since];
  }

  /** Rules for subjects of these tenants that were in force at `from` or later, oldest first. */
  listSubjectRules(tenantIds: readonly string[], from: Date, tx: Tx): Promise<SubjectRuleRow[]> {
    return tx.subjectRule.findMany({
      where: {
        tenantId: { in: [...tenantIds] },
        AND: [
          { OR: [{ removedAt: null }, { removedAt: { gt: from } }] },
          { OR: [{ endsAt: null }, { endsAt: { gt: from } }] },
        ],
      },
      orderBy: { id: 'asc' },
    });
  }

  /** What was published of these tenants, ascending. */
  listPastStates(tenantIds: readonly string[], tx: Tx): Promise<PastState[]> {
    return tx.$queryRaw<PastState[]>`
      SELECT t."key" AS "tenant", p."revision", p."tier", p."pinned_version" AS "pinnedVersion", p."adjustments"
      FROM "policy_tenant" p JOIN "tenant" t ON t."id" = p."tenant_id"
      WHERE p."tenant_id" = ANY (${[...tenantIds]}::text[]) ORDER BY p."revision"`;
  }

  /** Names of tenants by key. */
  async listNames(keys: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.client.tenant.findMany({
      where: { key: { in: [...keys] } },
      select: { key: true, name: true },
    });
    return new Map(rows.map(({ key, name }) => [key, name]));
  }
}
