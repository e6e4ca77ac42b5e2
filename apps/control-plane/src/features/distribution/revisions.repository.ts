import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { OutboxKind, type PolicyRevision, type PolicyTenant, Prisma } from '@tollgate/database';
import { userError } from '../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../platform/graphql/mutation.graphql.js';
import { Database, type Tx } from '../../platform/prisma/database.js';

const RELAY_LOCK = 7_164_001;

/** Maximum duration of a publication: 1,000,000 tenants take minutes. */
const RELAY_TRANSACTION_MS = 600_000;
const RELAY_WAIT_MS = 30_000;

const DELETE_BATCH = 5000;

export interface ChangeEvents {
  changeId: string;
  /** Revision that contains all rows; null while a row is pending. */
  revision: number | null;
  publishedAt: Date | null;
}

export interface PendingChanges {
  eventIds: bigint[];
  changeIds: string[];
  /** In the order of the changes. */
  tenants: string[];
}

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Holds the relay's lock, which is exclusive over all processes. */
  exclusively<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.exclusive(
      async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${RELAY_LOCK}::bigint)`;
        return work(tx);
      },
      { timeout: RELAY_TRANSACTION_MS, maxWait: RELAY_WAIT_MS },
    );
  }

  async hasPending(): Promise<boolean> {
    const rows = await this.database.client.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (SELECT 1 FROM "outbox_event" WHERE "revision" IS NULL) AS "found"`;
    return rows[0]?.found === true;
  }

  /** Null if there is no such change or it published nothing. */
  async findChange(changeId: string): Promise<ChangeEvents | null> {
    const events = await this.database.client.outboxEvent.findMany({
      where: { changeId },
      select: { revision: true, publishedAt: true },
      orderBy: { revision: { sort: 'desc', nulls: 'first' } },
    });
    const last = events[0];
    return last === undefined ? null : { changeId, ...last };
  }

  /**
   * Pending rows in the snapshot of `tx`. The relay marks exactly these rows, because transactions with lower ids may
   * commit later.
   */
  async listPending(tx: Tx): Promise<PendingChanges> {
    const rows = await tx.$queryRaw<{ id: bigint; changeId: string; kind: string; key: string }[]>`
      SELECT "id", "change_id" AS "changeId", "kind"::text AS "kind", "entity_key" AS "key" FROM "outbox_event"
      WHERE "revision" IS NULL ORDER BY "txid", "id"`;
    const tenants = rows.filter((row) => row.kind === OutboxKind.TENANT).map((row) => row.key);
    return {
      eventIds: rows.map(({ id }) => id),
      changeIds: [...new Set(rows.map(({ changeId }) => changeId))],
      tenants: [...new Set(tenants)],
    };
  }

  async listExisting(keys: readonly string[], tx: Tx = this.database.client): Promise<string[]> {
    if (keys.length === 0) return [];
    const rows = await tx.tenant.findMany({
      where: { key: { in: [...keys] }, subscription: { isNot: null } },
      select: { key: true },
    });
    return rows.map(({ key }) => key);
  }

  /** In small batches, to avoid blocking others. */
  async deletePublished(before: Date): Promise<void> {
    let deleted: number;
    do {
      deleted = await this.database.client.$executeRaw`
        DELETE FROM "outbox_event" WHERE "id" IN (
          SELECT "id" FROM "outbox_event" WHERE "published_at" < ${before} ORDER BY "published_at" LIMIT ${DELETE_BATCH}
        )`;
    } while (deleted === DELETE_BATCH);
  }

  /** REPEATABLE READ. */
  inSnapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(read, {
      isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead,
      timeout: RELAY_TRANSACTION_MS,
      maxWait: RELAY_WAIT_MS,
    });
  }
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const MAX_CHANGE_IDS = 1000;

/** Rejects a change whose author has read another revision. @param current from {@link RevisionsRepository.findCurrent} */
export const movedTo = (current: number | null): UserError =>
  userError(
    UserErrorCode.CONFLICT,
    ['expectedRevision'],
    current === null
      ? 'A change is being published. Review the differences with its revision.'
      : `The newest revision is ${current}. Review the differences again.`,
  );

export interface NewRevision {
  number: number;
  catalogueRevision: number;
  catalogueHash: string;
  cause: string;
  tenantCount: number;
  publishedAt: Date;
  /** Omitted if the catalogue did not change. */
  catalogueText?: string;
  changeIds: readonly string[];
  /** Ids of the published outbox rows. */
  eventIds: readonly bigint[];
}

@Injectable()
export class RevisionsRepository {
  constructor(private readonly database: Database) {}

  findNewest(): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  }

  /**
   * The newest revision, 0 before the first; null while committed changes of the catalogue or of these tenants are in no
   * revision yet, so that the newest does not show the current policy.
   */
  async findCurrent(tx: Tx, tenantKeys: readonly string[] = []): Promise<number | null> {
    const [row] = await tx.$queryRaw<{ number: number }[]>`
      SELECT (SELECT coalesce(max("number"), 0) FROM "policy_revision") AS "number" WHERE NOT EXISTS (
        SELECT 1 FROM "outbox_event" WHERE "revision" IS NULL
          AND ("kind" = 'CATALOGUE' OR "entity_key" = ANY(${tenantKeys}::text[]))
      )`;
    return row?.number ?? null;
  }

  /** An unused number above `above`, the revision in Redis, which is ahead after Postgres was restored. */
  async next(tx: Tx, above: number): Promise<number> {
    const rows = await tx.$queryRaw<{ next: bigint }[]>`
      SELECT setval(s, greatest(nextval(s), ${above}::bigint + 1)) AS "next"
      FROM (SELECT pg_get_serial_sequence('policy_revision', 'number')::regclass AS s) AS sequence`;
    return Number(rows[0]?.next);
  }

  /** Also marks the outbox rows. */
  async record(tx: Tx, { catalogueText, changeIds, eventIds, ...revision }: NewRevision): Promise<void> {
    if (catalogueText !== undefined) {
      const text = Uint8Array.from(await compress(catalogueText));
      const bytes = Buffer.byteLength(catalogueText);
      await tx.policyCatalogue.create({ data: { revision: revision.number, bytes, text } });
    }
    const changes = { changeCount: changeIds.length, changeIds: changeIds.slice(0, MAX_CHANGE_IDS) };
    await tx.policyRevision.create({ data: { ...revision, ...changes } });
    await tx.$executeRaw`
      UPDATE "outbox_event" SET "revision" = ${revision.number}, "published_at" = ${revision.publishedAt}
      WHERE "id" = ANY(${eventIds}::bigint[])`;
  }

  /** Stores tier and adjustments of these tenants, or of all, where they differ from what was published before. */
  async recordTenants(view: Tx, revision: number, keys: readonly string[] | 'all'): Promise<void> {
    const chosen = keys === 'all' ? Prisma.empty : Prisma.sql`WHERE t."key" = ANY(${keys}::text[])`;
    await view.$executeRaw`
      INSERT INTO "policy_tenant" ("tenant_id", "revision", "tier", "pinned_version", "adjustments", "scheduled")
      SELECT now.* FROM (
        SELECT t."id", ${revision}::int, tier."key", s."pinned_version_number", s."adjustments",
          (SELECT coalesce(jsonb_agg(jsonb_build_object('at', c."at", 'adjustments', c."adjustments") ORDER BY c."at"), '[]')
           FROM "scheduled_change" AS c WHERE c."subscription_id" = s."id")
        FROM "tenant" AS t JOIN "subscription" AS s ON s."tenant_id" = t."id" JOIN "tier" ON tier."id" = s."tier_id"
        ${chosen}
      ) AS now ("tenant_id", "revision", "tier", "pinned_version", "adjustments", "scheduled")
      LEFT JOIN LATERAL (
        SELECT * FROM "policy_tenant" AS p WHERE p."tenant_id" = now."tenant_id" ORDER BY p."revision" DESC LIMIT 1
      ) AS last ON true
      WHERE (now."tier", now."pinned_version", now."adjustments", now."scheduled")
        IS DISTINCT FROM (last."tier", last."pinned_version", last."adjustments", last."scheduled")`;
  }

  /** Tier and adjustments of a tenant as published in a revision; null if they are not stored. */
  findTenant(tenantId: string, revision: number): Promise<PolicyTenant | null> {
    return this.database.client.policyTenant.findFirst({
      where: { tenantId, revision: { lte: revision } },
      orderBy: { revision: 'desc' },
    });
  }

  /** Revisions with a stored catalogue, ascending. */
  async listCatalogueRevisions(): Promise<number[]> {
    const rows = await this.database.client.policyCatalogue.findMany({
      select: { revision: true },
      orderBy: { revision: 'asc' },
    });
    return rows.map(({ revision }) => revision);
  }

  /** Null if there is none or it was deleted. */
  findOfChange(changeId: string): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({
      where: { changeIds: { has: changeId } },
      orderBy: { number: 'desc' },
    });
  }

  /** Null if it was deleted. */
  async findCatalogueText(catalogueRevision: number, tx: Tx = this.database.client): Promise<string | null> {
    const row = await tx.policyCatalogue.findUnique({ where: { revision: catalogueRevision } });
    return row === null ? null : (await decompress(row.text)).toString('utf8');
  }

  /** Keeps the newest `kept` revisions, the newest `kept` with a new catalogue, and what tenants had in them. */
  async deleteOld(kept: number): Promise<void> {
    await this.database.client.$executeRaw`
      DELETE FROM "policy_revision" WHERE "number" NOT IN (
        (SELECT "number" FROM "policy_revision" ORDER BY "number" DESC LIMIT ${kept})
        UNION ALL
        (SELECT "number" FROM "policy_revision" WHERE "number" = "catalogue_revision" ORDER BY "number" DESC LIMIT ${kept})
      )`;
    await this.database.client.$executeRaw`
      DELETE FROM "policy_catalogue" AS c WHERE NOT EXISTS (
        SELECT 1 FROM "policy_revision" AS r WHERE r."catalogue_revision" = c."revision"
      )`;
    await this.database.client.$executeRaw`
      DELETE FROM "policy_tenant" AS p USING (SELECT min("number") AS "number" FROM "policy_revision") AS oldest
      WHERE p."revision" < oldest."number" AND EXISTS (
        SELECT 1 FROM "policy_tenant" AS later WHERE later."tenant_id" = p."tenant_id"
          AND later."revision" > p."revision" AND later."revision" <= oldest."number"
      )`;
  }
}
