import { Injectable } from '@nestjs/common';
import { Prisma, type WebhookAttempt, type WebhookDelivery, type WebhookEndpoint } from '@tollgate/database';
import type { Page } from '../../platform/graphql/paging.js';
import { newId } from '../../platform/ids/new-id.js';
import { Database, type Tx } from '../../platform/prisma/database.js';

export type WebhookDeliveryRow = WebhookDelivery;
export type WebhookAttemptRow = WebhookAttempt;

/** A delivery that a worker has claimed, with where it goes. */
export type ClaimedDelivery = WebhookDelivery & { endpoint: WebhookEndpoint };

/** What an attempt came to. */
export interface DeliveryStep {
  attempt: { number: number; at: Date; durationMs: number; statusCode: number | null; error: string | null };
  /** Null: it stays pending. */
  ended: 'DELIVERED' | 'DEAD' | null;
  nextAttemptAt: Date;
}

/** A claim that its worker did not live to end is free again after this; longer than any attempt lasts. */
const CLAIM_MS = 60_000;

/** All queries on deliveries. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims up to `limit` due deliveries, of each endpoint no more than `perEndpoint` at once, over all workers: one that
   * hangs holds up its own events only. Costs a look at each enabled endpoint, however long its backlog is.
   */
  async claim(now: Date, limit: number, perEndpoint: number): Promise<ClaimedDelivery[]> {
    const until = new Date(now.getTime() + CLAIM_MS);
    const rows = await this.database.client.$queryRaw<{ id: string }[]>`
      WITH "due" AS (
        SELECT "found"."id" FROM "webhook_endpoint" "e"
        CROSS JOIN LATERAL (
          SELECT count(*) AS "busy" FROM "webhook_delivery" "b"
          WHERE "b"."endpoint_id" = "e"."id" AND "b"."status" = 'PENDING' AND "b"."claimed_until" > ${now}
        ) "b"
        CROSS JOIN LATERAL (
          SELECT "d"."id", "d"."next_attempt_at" FROM "webhook_delivery" "d"
          WHERE "d"."endpoint_id" = "e"."id" AND "d"."status" = 'PENDING' AND "d"."next_attempt_at" <= ${now}
            AND ("d"."claimed_until" IS NULL OR "d"."claimed_until" <= ${now})
          ORDER BY "d"."next_attempt_at", "d"."id" LIMIT greatest(0, ${perEndpoint} - "b"."busy")
        ) "found"
        WHERE "e"."status" = 'ENABLED'
        ORDER BY "found"."next_attempt_at" LIMIT ${limit}
      ), "mine" AS (
        SELECT "id" FROM "webhook_delivery"
        WHERE "id" IN (SELECT "id" FROM "due") AND ("claimed_until" IS NULL OR "claimed_until" <= ${now})
        FOR UPDATE SKIP LOCKED
      )
      UPDATE "webhook_delivery" SET "claimed_until" = ${until}
      WHERE "id" IN (SELECT "id" FROM "mine") RETURNING "id"`;
    return this.database.client.webhookDelivery.findMany({
      where: { id: { in: rows.map(({ id }) => id) } },
      include: { endpoint: true },
      orderBy: { nextAttemptAt: 'asc' },
    });
  }

  /** Records an attempt of a claimed delivery, unless another worker has taken it over meanwhile. */
  async record(delivery: WebhookDelivery, { attempt, ended, nextAttemptAt }: DeliveryStep): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const { count } = await tx.webhookDelivery.updateMany({
        where: { id: delivery.id, status: 'PENDING', claimedUntil: delivery.claimedUntil },
        data: {
          attempts: attempt.number,
          claimedUntil: null,
          nextAttemptAt,
          ...(ended === null ? {} : { status: ended, endedAt: attempt.at }),
        },
      });
      if (count === 0) return false;
      const id = newId('webhookAttempt');
      const { id: deliveryId, tenantId } = delivery;
      await tx.webhookAttempt.create({ data: { id, deliveryId, tenantId, ...attempt } });
      return true;
    });
  }

  /** One delivery for each of `rows`; what was made of the same notice before is left as it is. */
  async createMany(tx: Tx, rows: Prisma.WebhookDeliveryCreateManyInput[]): Promise<void> {
    await tx.webhookDelivery.createMany({ data: rows, skipDuplicates: true });
  }

  /** Puts a delivery back to the beginning of its schedule. */
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

  /** Newest first; one row more than the page holds, when there is one. */
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

  /** Removes what ended before `before`, at most `limit` rows. */
  async forget(before: Date, limit: number): Promise<number> {
    return this.database.client.$executeRaw`
      DELETE FROM "webhook_delivery" WHERE "id" IN (
        SELECT "id" FROM "webhook_delivery" WHERE "ended_at" < ${before} LIMIT ${limit})`;
  }
}
