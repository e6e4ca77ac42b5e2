import { Injectable } from '@nestjs/common';
import { type ApiRecord } from '@tollgate/contracts';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import {
  type AuditEntry,
  type PolicyRevision,
  type Priority,
  Prisma,
  type UnknownOperations,
} from '@tollgate/database';
import { type Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { ManagedBy } from '../../../platform/prisma/schema.js';
import { fromWireStyles, poolColumns } from '../../catalogue/index.js';
import type { AdjustmentOrigin, RevisionChange } from './revisions.graphql.js';

export type RevisionRow = PolicyRevision;

const STARTS: AuditAction[] = [
  'boost.start',
  'entitlement.grant',
  'override.set',
  'own_limit.set',
  'subjectRule.set',
];
const ENDS: AuditAction[] = ['boost.end', 'entitlement.end', 'override.remove', 'own_limit.remove'];

/** Reads published revisions. */
@Injectable()
export class RevisionHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Newest first, with one row more than the page size if there is a next page. */
  list(catalogueOnly: boolean, page: Page<number>): Promise<RevisionRow[]> {
    const { first, after } = page;
    return this.database.client.policyRevision.findMany({
      where: { AND: [this.matching(catalogueOnly), after === undefined ? {} : { number: { lt: after } }] },
      orderBy: { number: 'desc' },
      take: first + 1,
    });
  }

  count(catalogueOnly: boolean): Promise<number> {
    return this.database.client.policyRevision.count({ where: this.matching(catalogueOnly) });
  }

  find(number: number, tx: Tx = this.database.client): Promise<RevisionRow | null> {
    return tx.policyRevision.findUnique({ where: { number } });
  }

  newest(tx: Tx = this.database.client): Promise<RevisionRow | null> {
    return tx.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  }

  /** Bytes of the stored catalogues among these, by revision. */
  async listSizes(catalogueRevisions: readonly number[]): Promise<Map<string, number>> {
    const rows = await this.database.client.policyCatalogue.findMany({
      where: { revision: { in: [...catalogueRevisions] } },
      select: { revision: true, bytes: true },
    });
    return new Map(rows.map(({ revision, bytes }) => [String(revision), bytes]));
  }

  /** The first audit entry of each change, in order; of a tier that was edited and published at once, the publication. */
  listChanges(changeIds: readonly string[]): Promise<RevisionChange[]> {
    return this.listEntries({ changeId: { in: [...changeIds] }, action: { not: 'tier.draftSave' } });
  }

  /** Changes that started or ended adjustments. */
  listAdjustmentChanges(ids: { started: string[]; ended: string[] }): Promise<RevisionChange[]> {
    return this.listEntries({
      OR: [
        { entityId: { in: ids.started }, action: { in: STARTS } },
        { entityId: { in: ids.ended }, action: { in: ENDS } },
      ],
    });
  }

  /** The change that published a tier version with a limit of an API; null if it is not in the audit trail. */
  async findPublication(
    { tierKey, apiId }: { tierKey: string; apiId: string },
    { tierId, number, publishedAt }: { tierId: string; number: number; publishedAt: Date | null },
  ): Promise<RevisionChange | null> {
    if (publishedAt === null) return null;
    const entry = await this.database.client.auditEntry.findFirst({
      where: {
        at: { gte: publishedAt },
        OR: [
          // Its change also publishes versions, in later entries.
          { action: 'api.defaultLimitsSet', entityId: apiId },
          { action: 'tier.publish', entityId: tierId, entityName: { endsWith: ` v${number}` } },
          { action: 'policy.rollback', after: { path: ['tiers'], array_contains: [tierKey] } },
        ],
      },
      orderBy: [{ at: 'asc' }, { id: 'asc' }],
    });
    return (entry && (await this.withChangeSets([entry]))[0]) ?? null;
  }

  /** The last of these changes with one of these actions on a tenant. */
  async findLast(
    tenantKey: string,
    changeIds: readonly string[],
    actions: readonly AuditAction[],
  ): Promise<RevisionChange | null> {
    const entry = await this.database.client.auditEntry.findFirst({
      where: { tenantKey, changeId: { in: [...changeIds] }, action: { in: [...actions] } },
      orderBy: [{ at: 'desc' }, { id: 'desc' }],
    });
    return (entry && (await this.withChangeSets([entry]))[0]) ?? null;
  }

  /** Authors and reasons of adjustments: overrides, boosts and entitlements. */
  async listSources(adjustmentIds: string[]): Promise<AdjustmentOrigin[]> {
    const ids = { in: adjustmentIds };
    const { client } = this.database;
    const grants = await client.entitlement.findMany({ where: { id: ids } });
    const overrides = await client.override.findMany({ where: { id: ids } });
    const rules = await client.subjectRule.findMany({ where: { id: ids } });
    const entries = await client.auditEntry.findMany({
      where: { entityId: ids, action: { in: STARTS } },
      select: { entityId: true, changeId: true },
    });
    const changeOf = new Map(entries.map(({ entityId, changeId }) => [entityId, changeId]));
    return [
      ...grants.map(({ id, actor, createdAt: at, reason, purchaseId, changeId }) => {
        return { adjustmentId: id, actor, at, reason, purchaseId, changeId };
      }),
      ...[...overrides, ...rules].map(({ id, createdBy: actor, createdAt: at, reason }) => {
        const changeId = changeOf.get(id) ?? null;
        return { adjustmentId: id, actor, at, reason: reason || null, purchaseId: null, changeId };
      }),
    ];
  }

  /** The first entry of each change. */
  private async listEntries(where: Prisma.AuditEntryWhereInput): Promise<RevisionChange[]> {
    const entries = await this.database.client.auditEntry.findMany({
      where,
      distinct: ['changeId'],
      orderBy: [{ changeId: 'asc' }, { id: 'asc' }],
    });
    return this.withChangeSets(entries);
  }

  private async withChangeSets(entries: readonly AuditEntry[]): Promise<RevisionChange[]> {
    const sets = await this.database.client.changeSet.findMany({
      where: { changeId: { in: entries.map(({ changeId }) => changeId) } },
    });
    const setOf = new Map(sets.map((set) => [set.changeId, set]));
    return entries.map((entry) => {
      const set = setOf.get(entry.changeId);
      return { ...entry, changeSetId: set?.id ?? null, changeSetTitle: set?.title ?? null };
    });
  }

  private matching(catalogueOnly: boolean) {
    return catalogueOnly
      ? { number: { equals: this.database.client.policyRevision.fields.catalogueRevision } }
      : {};
  }
}

/** Writes of a rollback. Tiers and APIs belong to the operator, not to a tenant. */
@Injectable()
export class RollbackRepository {
  /** Locks all APIs and tiers until the transaction ends. */
  async lockPolicy(tx: Tx): Promise<void> {
    await tx.$executeRaw`SELECT 1 FROM "api" ORDER BY "key" FOR UPDATE`;
    await tx.$executeRaw`SELECT 1 FROM "tier" ORDER BY "key" FOR UPDATE`;
  }

  /** Who manages these APIs and tiers, by name. */
  async listManaged(tx: Tx, apiKeys: string[], tierKeys: string[]): Promise<Map<string, ManagedBy>> {
    const apis = await tx.api.findMany({ where: { key: { in: apiKeys } } });
    const tiers = await tx.tier.findMany({ where: { key: { in: tierKeys } } });
    return new Map([
      ...apis.map(({ key, managedBy }): [string, ManagedBy] => [`API ${key}`, managedBy]),
      ...tiers.map(({ key, managedBy }): [string, ManagedBy] => [`tier ${key}`, managedBy]),
    ]);
  }

  /** Ids by key, including deleted APIs. */
  async listApiIds(tx: Tx, apiKeys: string[]): Promise<Map<string, string>> {
    const apis = await tx.api.findMany({ where: { key: { in: apiKeys } }, select: { id: true, key: true } });
    return new Map(apis.map(({ id, key }) => [key, id]));
  }

  /** Sets an API's operations and pools; restores a deleted API. */
  async restoreApi(tx: Tx, record: ApiRecord): Promise<void> {
    const { key, operations, pools = [] } = record;
    const unknownOperations = record.unknownOperations.toUpperCase() as UnknownOperations;
    const headerStyles = fromWireStyles(record.headerStyles);
    const { id: apiId } = await tx.api.upsert({
      where: { key },
      create: { id: newId('api'), key, name: key, unknownOperations, headerStyles },
      update: { unknownOperations, headerStyles, deletedAt: null, version: { increment: 1 } },
    });
    const names = operations.map(({ name }) => name);
    await tx.operation.deleteMany({ where: { apiId, name: { notIn: names } } });
    for (const { name, cost, priority = 'normal' } of operations) {
      const numbers = { cost: BigInt(cost), priority: priority.toUpperCase() as Priority };
      await tx.operation.upsert({
        where: { apiId_name: { apiId, name } },
        create: { id: newId('operation'), apiId, name, ...numbers },
        update: numbers,
      });
    }
    await tx.pool.deleteMany({ where: { apiId } });
    // Sorted: an operation uses the pool with the lowest id that lists it.
    const ids = pools.map(() => newId('pool')).sort();
    await tx.pool.createMany({
      data: pools.map(({ name, ...facts }, i) => ({
        ...{ id: ids[i] ?? newId('pool'), apiId, name },
        ...poolColumns(facts),
      })),
    });
  }

  /** Copies the limits of another version of the tier to a draft. @returns false if that version does not exist */
  async copyLimits(tx: Tx, tierId: string, number: number, draftId: string): Promise<boolean> {
    const version = await tx.tierVersion.findUnique({
      where: { tierId_number: { tierId, number } },
      include: { limits: true },
    });
    if (version === null) return false;
    await tx.limit.createMany({
      data: version.limits.map(({ terms, ...limit }) => ({
        ...limit,
        terms: terms ?? Prisma.JsonNull,
        id: newId('limit'),
        tierVersionId: draftId,
      })),
    });
    return true;
  }

  async setWeight(tx: Tx, tierId: string, weight: number): Promise<void> {
    await tx.tier.update({ where: { id: tierId }, data: { weight, version: { increment: 1 } } });
  }
}
