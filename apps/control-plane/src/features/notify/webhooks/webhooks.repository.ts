import { Injectable } from '@nestjs/common';
import { Prisma, type WebhookAttempt, type WebhookDelivery, type WebhookEndpoint } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { MAX_ATTEMPTS, retryDelayMs } from './webhook-sender.js';

export type WebhookEndpointRow = WebhookEndpoint;

@Injectable()
export class WebhookEndpointsRepository {
  constructor(private readonly database: Database) {}

  list(tenantId: string | null): Promise<WebhookEndpointRow[]> {
    return this.database.client.webhookEndpoint.findMany({ where: { tenantId }, orderBy: { id: 'asc' } });
  }

  count(tx: Tx, tenantId: string | null): Promise<number> {
    return tx.webhookEndpoint.count({ where: { tenantId } });
  }

  /** Of these tenants and of the operator. */
  listEnabled(tx: Tx, tenantIds: string[]): Promise<WebhookEndpointRow[]> {
    return tx.webhookEndpoint.findMany({
      where: { status: 'ENABLED', OR: [{ tenantId: { in: tenantIds } }, { tenantId: null }] },
    });
  }

  findById(id: string): Promise<WebhookEndpointRow | null> {
    return this.database.client.webhookEndpoint.findUnique({ where: { id } });
  }

  create(tx: Tx, data: Prisma.WebhookEndpointUncheckedCreateInput): Promise<WebhookEndpointRow> {
    return tx.webhookEndpoint.create({ data });
  }

  async lockById(tx: Tx, id: string): Promise<WebhookEndpointRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "webhook_endpoint" WHERE "id" = ${id} FOR UPDATE`;
    return tx.webhookEndpoint.findUnique({ where: { id } });
  }

  update(tx: Tx, id: string, data: Prisma.WebhookEndpointUncheckedUpdateInput): Promise<WebhookEndpointRow> {
    return tx.webhookEndpoint.update({ where: { id }, data: { ...data, version: { increment: 1 } } });
  }

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.webhookEndpoint.delete({ where: { id } });
  }
}

export type WebhookDeliveryRow = WebhookDelivery;
export type WebhookAttemptRow = WebhookAttempt;

export interface ClaimedDelivery extends WebhookDelivery {
  endpoint: WebhookEndpoint;
  /** The last attempt was interrupted: the delivery is dead and nothing is sent. */
  isExhausted: boolean;
}

export interface ClaimLimits {
  total: number;
  /** In flight over all workers, including earlier claims; the operator counts as a tenant. */
  perTenant: number;
  perEndpoint: number;
}

export interface DeliveryOutcome {
  attempt: { durationMs: number; statusCode: number | null; error: string | null };
  /** Null: still pending. */
  ended: 'DELIVERED' | 'DEAD' | null;
  at: Date;
  nextAttemptAt: Date;
}

export const INTERRUPTED = 'interrupted: the worker stopped before a response';

/** Longer than the maximum of `WEBHOOK_TIMEOUT_MS`. */
const CLAIM_MS = 60_000;

@Injectable()
export class WebhookDeliveriesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records an attempt for each claimed delivery, which counts as failed if the worker stops. The cost depends on the
   * number of enabled endpoints, not on their backlog.
   */
  async claim(now: Date, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
    return this.database.transaction(async (tx) => {
      const ids = await lockDue(tx, now, limits);
      if (ids.length === 0) return [];
      const rows = await tx.webhookDelivery.findMany({
        where: { id: { in: ids } },
        include: { endpoint: true },
        orderBy: { nextAttemptAt: 'asc' },
      });
      const claimed = rows.map((row) => claimOf(row, now));
      await tx.webhookAttempt.updateMany({
        where: { deliveryId: { in: ids }, statusCode: null, error: null },
        data: { error: INTERRUPTED },
      });
      await tx.webhookAttempt.createMany({
        data: claimed
          .filter(({ isExhausted }) => !isExhausted)
          .map(({ id: deliveryId, tenantId, attempts: number }) => {
            return { id: newId('webhookAttempt'), deliveryId, tenantId, number, at: now, durationMs: 0 };
          }),
      });
      await tx.$executeRaw`
        UPDATE "webhook_delivery" "d" SET "claimed_until" = ${claimEnd(now)}, "attempts" = "c"."attempts",
          "next_attempt_at" = "c"."next_attempt_at"::timestamptz
        FROM unnest(${claimed.map(({ id }) => id)}::text[], ${claimed.map(({ attempts }) => attempts)}::int[],
          ${claimed.map(({ nextAttemptAt }) => nextAttemptAt.toISOString())}::text[]) AS "c"("id", "attempts", "next_attempt_at")
        WHERE "d"."id" = "c"."id"`;
      return claimed;
    });
  }

  /** Returns false if another worker has claimed the delivery. */
  async record(
    { id, attempts: number, claimedUntil }: WebhookDelivery,
    { attempt, ended, at, nextAttemptAt }: DeliveryOutcome,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.webhookAttempt.updateMany({ where: { deliveryId: id, number }, data: attempt });
      const { count } = await tx.webhookDelivery.updateMany({
        where: { id, status: 'PENDING', claimedUntil },
        data: {
          claimedUntil: null,
          nextAttemptAt,
          ...(ended === null ? {} : { status: ended, endedAt: at }),
        },
      });
      return count > 0;
    });
  }

  /** Skips existing deliveries of the same notice and endpoint. */
  async createMany(tx: Tx, rows: Prisma.WebhookDeliveryCreateManyInput[]): Promise<void> {
    await tx.webhookDelivery.createMany({ data: rows, skipDuplicates: true });
  }

  retry(tx: Tx, { id, attempts }: WebhookDelivery, now: Date): Promise<WebhookDeliveryRow> {
    return tx.webhookDelivery.update({
      where: { id },
      data: {
        status: 'PENDING',
        attemptsBefore: attempts,
        nextAttemptAt: now,
        claimedUntil: null,
        endedAt: null,
      },
    });
  }

  findById(
    id: string,
    tx: Tx = this.database.client,
  ): Promise<(WebhookDelivery & { endpoint: WebhookEndpoint }) | null> {
    return tx.webhookDelivery.findUnique({ where: { id }, include: { endpoint: true } });
  }

  /** Newest first, with one row more than the page size if there is a next page. */
  list(endpointId: string, page: Page<string>): Promise<WebhookDeliveryRow[]> {
    return this.database.client.webhookDelivery.findMany({
      where: { endpointId, ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(endpointId: string): Promise<number> {
    return this.database.client.webhookDelivery.count({ where: { endpointId } });
  }

  /** The last attempts of each delivery, newest first. */
  async listAttempts(deliveryIds: string[]): Promise<Map<string, WebhookAttemptRow[]>> {
    const rows = await this.database.client.webhookAttempt.findMany({
      where: { deliveryId: { in: deliveryIds } },
      orderBy: { id: 'desc' },
    });
    return Map.groupBy(rows, (row) => row.deliveryId);
  }

  /** Deletes deliveries completed before `before`, at most `limit`. */
  async deleteBefore(before: Date, limit: number): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "webhook_delivery" WHERE "id" IN (
        SELECT "id" FROM "webhook_delivery" WHERE "ended_at" < ${before} LIMIT ${limit})`;
  }
}

/**
 * Locks due deliveries: tenants with the fewest in flight first, then endpoints with the fewest, then the longest
 * overdue.
 */
async function lockDue(tx: Tx, now: Date, { total, perTenant, perEndpoint }: ClaimLimits): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH "endpoint" AS (
      SELECT "e"."id", "e"."status", coalesce("e"."tenant_id", '') AS "owner", "b"."busy",
        sum("b"."busy") OVER (PARTITION BY "e"."tenant_id") AS "owner_busy"
      FROM "webhook_endpoint" "e"
      CROSS JOIN LATERAL (
        SELECT count(*) AS "busy" FROM "webhook_delivery" "b"
        WHERE "b"."endpoint_id" = "e"."id" AND "b"."status" = 'PENDING' AND "b"."claimed_until" > ${now}
      ) "b"
    ), "due" AS (
      SELECT "found"."id", "found"."next_attempt_at", "e"."owner", "e"."owner_busy",
        "e"."busy" + row_number() OVER (PARTITION BY "e"."id" ORDER BY "found"."next_attempt_at", "found"."id") AS "turn"
      FROM "endpoint" "e"
      CROSS JOIN LATERAL (
        SELECT "d"."id", "d"."next_attempt_at" FROM "webhook_delivery" "d"
        WHERE "d"."endpoint_id" = "e"."id" AND "d"."status" = 'PENDING' AND "d"."next_attempt_at" <= ${now}
          AND ("d"."claimed_until" IS NULL OR "d"."claimed_until" <= ${now})
        ORDER BY "d"."next_attempt_at", "d"."id"
        LIMIT greatest(0, least(${perEndpoint} - "e"."busy", ${perTenant} - "e"."owner_busy"))
      ) "found"
      WHERE "e"."status" = 'ENABLED'
    ), "fair" AS (
      SELECT "id", "next_attempt_at",
        "owner_busy" + row_number() OVER (PARTITION BY "owner" ORDER BY "turn", "next_attempt_at", "id") AS "place"
      FROM "due"
    )
    SELECT "id" FROM "webhook_delivery"
    WHERE "id" IN (
        SELECT "id" FROM "fair" WHERE "place" <= ${perTenant} ORDER BY "place", "next_attempt_at" LIMIT ${total})
      AND "status" = 'PENDING' AND ("claimed_until" IS NULL OR "claimed_until" <= ${now})
    FOR UPDATE SKIP LOCKED`;
  return rows.map(({ id }) => id);
}

/** A due delivery after its claim. */
function claimOf(row: WebhookDelivery & { endpoint: WebhookEndpoint }, now: Date): ClaimedDelivery {
  const claimedUntil = claimEnd(now);
  const isExhausted = row.attempts - row.attemptsBefore >= MAX_ATTEMPTS;
  const attempts = isExhausted ? row.attempts : row.attempts + 1;
  const delayMs = retryDelayMs(attempts - row.attemptsBefore, Math.random(), undefined) ?? CLAIM_MS;
  return { ...row, isExhausted, attempts, claimedUntil, nextAttemptAt: new Date(now.getTime() + delayMs) };
}

function claimEnd(now: Date): Date {
  return new Date(now.getTime() + CLAIM_MS);
}
