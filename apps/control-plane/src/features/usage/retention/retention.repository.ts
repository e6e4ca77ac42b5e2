import { Injectable } from '@nestjs/common';
import { Prisma } from '@tollgate/database';
import { Database } from '../../../platform/prisma/database.js';

/** Tables with limited retention and their time column. */
const AGES = {
  usage_minute: 'at',
  usage_hour: 'at',
  usage_day: 'at',
  traffic_minute: 'at',
  usage_peak: 'at',
  limit_crossing: 'at',
  limit_offender: 'at',
  limit_peak: 'at',
  decision_sample: 'at',
  quota_checkpoint: 'period_end',
  usage_source: 'last_at',
  stream_reject: 'at',
} as const;

export type AgingTable = keyof typeof AGES;

/** Rows per statement, to keep locks and transactions short. */
export const CHUNK = 10_000;

/** Offenders kept per tenant and past hour. */
const OFFENDERS_PER_HOUR = 100;

/** Deletes expired rows in chunks. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Returns the number of deleted rows. */
  removeBefore(table: AgingTable, before: Date): Promise<number> {
    const name = Prisma.raw(`"${table}"`);
    const age = Prisma.raw(`"${AGES[table]}"`);
    return this.database.client.$executeRaw`
      DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE ${age} < ${before} LIMIT ${CHUNK}))`;
  }

  /** Keeps the newest `rows` sampled decisions. */
  removeSamplesBeyond(rows: number): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "decision_sample" WHERE "id" IN (
        SELECT "id" FROM "decision_sample"
        WHERE "id" <= (SELECT max("id") - ${rows}::bigint FROM "decision_sample") ORDER BY "id" LIMIT ${CHUNK}
      )`;
  }

  /** Keeps the newest `rows` unusable entries. */
  removeRejectsBeyond(rows: number): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "stream_reject" WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM "stream_reject" ORDER BY "at" DESC, "entry_id" DESC OFFSET ${rows} LIMIT ${CHUNK}
      ))`;
  }

  /** Keeps each tenant's worst offenders of past hours. */
  removeLesserOffenders(from: Date, to: Date): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "limit_offender" WHERE ctid = ANY (ARRAY(
        SELECT "ranked".ctid FROM (
          SELECT ctid, row_number() OVER (PARTITION BY "tenant_id", "at" ORDER BY "units" DESC, "counter") AS "rank"
          FROM "limit_offender" WHERE "at" >= ${from} AND "at" < ${to}
        ) AS "ranked"
        WHERE "rank" > ${OFFENDERS_PER_HOUR} LIMIT ${CHUNK}
      ))`;
  }
}
