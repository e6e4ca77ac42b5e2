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

/** All queries on the providers' customer ids of tenants. */
@Injectable()
export class PaymentCustomersRepository {
  constructor(private readonly database: Database) {}

  async find(tenantId: string, provider: PaymentProviderName): Promise<string | null> {
    const where = { tenantId_provider: { tenantId, provider } };
    const row = await this.database.client.paymentCustomer.findUnique({ where });
    return row?.ref ?? null;
  }

  /** Keeps `ref`, unless another is kept already; returns the one that is. */
  async keep(tenantId: string, provider: PaymentProviderName, ref: string): Promise<string> {
    await this.database.client.paymentCustomer.createMany({
      data: [{ tenantId, provider, ref }],
      skipDuplicates: true,
    });
    return (await this.find(tenantId, provider)) ?? ref;
  }
}

export type PaymentEventReviewRow = PaymentEventReview;

/** A signed event that could not be booked, and why. */
export interface UnbookedEvent {
  provider: PaymentProviderName;
  eventId: string;
  type: string;
  apiVersion: string | null;
  problem: string;
  payload: Prisma.InputJsonObject;
}

/** All queries on provider events that need review. Platform data: an event that cannot be read names no tenant. */
@Injectable()
export class EventReviewsRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; one row more than the page holds, when there is one. */
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

  /** Records an event, or one more attempt at it. `isNew`: it was not known before. */
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

  /** Closes the open review of an event that is booked now, if there is one. */
  async closeBooked(provider: PaymentProviderName, eventId: string): Promise<void> {
    await close(this.database.client, { provider, eventId }, PaymentEventReviewStatus.BOOKED);
  }

  /** Closes a review whose event is not to be booked. False: it was closed already. */
  dismiss(tx: Tx, id: string): Promise<boolean> {
    return close(tx, { id }, PaymentEventReviewStatus.DISMISSED);
  }
}

/** Deletes the payload too, which may hold personal data. */
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
