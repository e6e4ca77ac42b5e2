import { Injectable } from '@nestjs/common';
import {
  type PaymentEventReview,
  PaymentEventReviewStatus,
  type PaymentProviderName,
  Prisma,
} from '@tollgate/database';
import { type Page } from '../../../platform/graphql/paging.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** Customer ids of tenants at providers. */
@Injectable()
export class PaymentCustomersRepository {
  constructor(private readonly database: Database) {}

  async find(tenantId: string, provider: PaymentProviderName): Promise<string | null> {
    const where = { tenantId_provider: { tenantId, provider } };
    const row = await this.database.client.paymentCustomer.findUnique({ where });
    return row?.ref ?? null;
  }

  /** Stores `ref` unless one is stored already; returns the stored one. */
  async keep(tenantId: string, provider: PaymentProviderName, ref: string): Promise<string> {
    await this.database.client.paymentCustomer.createMany({
      data: [{ tenantId, provider, ref }],
      skipDuplicates: true,
    });
    return (await this.find(tenantId, provider)) ?? ref;
  }
}

export type PaymentEventReviewRow = PaymentEventReview;

export interface UnbookedEvent {
  provider: PaymentProviderName;
  eventId: string;
  type: string;
  apiVersion: string | null;
  problem: string;
  payload: Prisma.InputJsonObject;
}

/** Provider events that need review. Platform data: an unreadable event has no tenant. */
@Injectable()
export class EventReviewsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; one row beyond the page if there is a next page. */
  list(status: PaymentEventReviewStatus | undefined, page: Page<string>): Promise<PaymentEventReviewRow[]> {
    return this.database.client.paymentEventReview.findMany({
      where: { ...matching(status), ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(status: PaymentEventReviewStatus | undefined): Promise<number> {
    return this.database.client.paymentEventReview.count({ where: matching(status) });
  }

  find(id: string, tx: Tx = this.database.client): Promise<PaymentEventReviewRow | null> {
    return tx.paymentEventReview.findUnique({ where: { id } });
  }

  /** Records an event, or a further attempt. `isNew`: this is the first one. */
  async record(tx: Tx, event: UnbookedEvent): Promise<{ row: PaymentEventReviewRow; isNew: boolean }> {
    const { provider, eventId, problem } = event;
    const id = newId('paymentEventReview');
    const row = await tx.paymentEventReview.upsert({
      where: { provider_eventId: { provider, eventId } },
      create: { id, ...event, attempts: 1 },
      update: { attempts: { increment: 1 }, problem },
    });
    return { row, isNew: row.id === id };
  }

  /** Closes the open review of a booked event, if any. */
  async closeBooked(provider: PaymentProviderName, eventId: string): Promise<void> {
    await close(this.database.client, { provider, eventId }, PaymentEventReviewStatus.BOOKED);
  }

  /** False if the review is closed already. */
  dismiss(tx: Tx, id: string): Promise<boolean> {
    return close(tx, { id }, PaymentEventReviewStatus.DISMISSED);
  }
}

/** Also deletes the payload, which may contain personal data. */
async function close(
  tx: Tx,
  where: Prisma.PaymentEventReviewWhereInput,
  status: PaymentEventReviewStatus,
): Promise<boolean> {
  const { count } = await tx.paymentEventReview.updateMany({
    where: { ...where, status: PaymentEventReviewStatus.OPEN },
    data: { status, resolvedAt: new Date(), payload: Prisma.DbNull },
  });
  return count === 1;
}

function matching(status: PaymentEventReviewStatus | undefined): Prisma.PaymentEventReviewWhereInput {
  return status === undefined ? {} : { status };
}
