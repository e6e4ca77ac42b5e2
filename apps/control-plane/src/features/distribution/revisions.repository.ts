import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { PolicyRevision } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The most change ids stored with a revision. */
const MAX_CHANGE_IDS = 1000;

/** A published revision to record. */
export interface NewRevision {
  number: number;
  catalogueRevision: number;
  catalogueHash: string;
  cause: string;
  tenantCount: number;
  publishedAt: Date;
  /** JSON of the catalogue; omitted if it did not change. */
  catalogueText?: string;
  /** Ids of the published changes. */
  changeIds: readonly string[];
  /** Ids of their outbox rows. */
  eventIds: readonly bigint[];
}

/** Queries on published revisions and their catalogues. */
@Injectable()
export class RevisionsRepository {
  constructor(private readonly database: Database) {}

  findNewest(): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  }

  /**
   * Returns an unused number greater than `above`; sequences do not roll back. `above` is the revision in Redis, which is ahead
   * after Postgres was restored from a backup.
   */
  async next(tx: Tx, above: number): Promise<number> {
    const rows = await tx.$queryRaw<{ next: bigint }[]>`
      SELECT setval(s, greatest(nextval(s), ${above}::bigint + 1)) AS "next"
      FROM (SELECT pg_get_serial_sequence('policy_revision', 'number')::regclass AS s) AS sequence`;
    return Number(rows[0]?.next);
  }

  /** Records a published revision and marks its outbox rows. */
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

  /** The revision that contains a change; null if there is none or it was deleted. */
  findOfChange(changeId: string): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({
      where: { changeIds: { has: changeId } },
      orderBy: { number: 'desc' },
    });
  }

  /** JSON of the catalogue of a revision; null if it was deleted. */
  async findCatalogueText(catalogueRevision: number, tx: Tx = this.database.client): Promise<string | null> {
    const row = await tx.policyCatalogue.findUnique({ where: { revision: catalogueRevision } });
    return row === null ? null : (await decompress(row.text)).toString('utf8');
  }

  /** Deletes revisions except the newest `kept` and the newest `kept` with a new catalogue, and catalogues without a revision. */
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
  }
}
