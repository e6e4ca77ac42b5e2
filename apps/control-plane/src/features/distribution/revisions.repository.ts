import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { PolicyRevision } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Changes that a revision names; of a bulk change, the first are enough to find the others by. */
const MAX_NAMED_CHANGES = 1000;

/** What the relay knows of a revision that it has published. */
export interface NewRevision {
  number: number;
  catalogueRevision: number;
  catalogueHash: string;
  cause: string;
  tenantCount: number;
  publishedAt: Date;
  /** JSON text of the catalogue; left out when it did not change. */
  catalogueText?: string;
  /** The changes that it carries. */
  changeIds: readonly string[];
  /** Outbox rows of these changes. */
  eventIds: readonly bigint[];
}

/** Published revisions and the catalogues that they put into force. */
@Injectable()
export class RevisionsRepository {
  constructor(private readonly database: Database) {}

  newest(): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({ orderBy: { number: 'desc' } });
  }

  /**
   * A number that no revision has had, greater than `above`: sequences do not roll back. `above` matters after Postgres
   * came back from a backup that is older than what Redis holds.
   */
  async next(tx: Tx, above: number): Promise<number> {
    const rows = await tx.$queryRaw<{ next: bigint }[]>`
      SELECT setval(s, greatest(nextval(s), ${above}::bigint + 1)) AS "next"
      FROM (SELECT pg_get_serial_sequence('policy_revision', 'number')::regclass AS s) AS sequence`;
    return Number(rows[0]?.next);
  }

  /** Records a published revision and marks what it carried. */
  async record(tx: Tx, { catalogueText, changeIds, eventIds, ...revision }: NewRevision): Promise<void> {
    if (catalogueText !== undefined) {
      const text = Uint8Array.from(await compress(catalogueText));
      const bytes = Buffer.byteLength(catalogueText);
      await tx.policyCatalogue.create({ data: { revision: revision.number, bytes, text } });
    }
    const changes = { changeCount: changeIds.length, changeIds: changeIds.slice(0, MAX_NAMED_CHANGES) };
    await tx.policyRevision.create({ data: { ...revision, ...changes } });
    await tx.$executeRaw`
      UPDATE "outbox_event" SET "revision" = ${revision.number}, "published_at" = ${revision.publishedAt}
      WHERE "id" = ANY(${eventIds}::bigint[])`;
  }

  /** The revision that carried a change; null when there is none (any more). */
  findOfChange(changeId: string): Promise<PolicyRevision | null> {
    return this.database.client.policyRevision.findFirst({
      where: { changeIds: { has: changeId } },
      orderBy: { number: 'desc' },
    });
  }

  /** JSON text of the catalogue that a revision put into force, or went on with; null when it is no longer kept. */
  async findCatalogueText(catalogueRevision: number, tx: Tx = this.database.client): Promise<string | null> {
    const row = await tx.policyCatalogue.findUnique({ where: { revision: catalogueRevision } });
    return row === null ? null : (await decompress(row.text)).toString('utf8');
  }

  /** Keeps the newest `kept` revisions, the newest `kept` that brought a catalogue, and all catalogues that these need. */
  async forget(kept: number): Promise<void> {
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
