import type {
  InvoiceStatus,
  PaymentEventReviewStatus,
  PurchaseStatus,
  QuotaRequestStatus,
} from '../generated/graphql.js';

type RawSearch = Record<string, unknown>;

export const PURCHASE_STATUSES = [
  ...['PENDING', 'HELD', 'ACTIVE', 'GRACE', 'DISPUTED', 'ENDED', 'REFUNDED', 'EXPIRED', 'REJECTED'],
] as readonly PurchaseStatus[];
const INVOICE_STATUSES: readonly InvoiceStatus[] = ['OPEN', 'PAID', 'VOID'];
const EVENT_STATUSES: readonly PaymentEventReviewStatus[] = ['OPEN', 'BOOKED', 'DISMISSED'];
const REQUEST_STATUSES: readonly QuotaRequestStatus[] = [
  ...(['OPEN', 'COUNTERED', 'APPROVED', 'DECLINED', 'WITHDRAWN'] as const),
];

export interface PurchasesSearch {
  show?: 'invoices' | 'events';
  status?: PurchaseStatus | InvoiceStatus | PaymentEventReviewStatus;
}

export interface RequestsSearch {
  status?: QuotaRequestStatus | 'all';
}

export interface PortalHomeSearch {
  /** An offer whose payment the viewer comes back from. */
  ordered?: string;
}

/** The states that each list of the page can be filtered by. */
export const STATUSES_OF = {
  purchases: PURCHASE_STATUSES,
  invoices: INVOICE_STATUSES,
  events: EVENT_STATUSES,
} as const;

/** Which purchases, invoices or payment events are listed. */
export function parsePurchasesSearch({ show, status }: RawSearch): PurchasesSearch {
  const list = show === 'invoices' || show === 'events' ? show : 'purchases';
  const known: readonly unknown[] = STATUSES_OF[list];
  return {
    ...(list === 'purchases' ? {} : { show: list }),
    ...(known.includes(status) ? { status: status as NonNullable<PurchasesSearch['status']> } : {}),
  };
}

/** Which requests for higher limits are listed; without it those that wait for an answer. */
export function parseRequestsSearch({ status }: RawSearch): RequestsSearch {
  const isKnown = status === 'all' || (REQUEST_STATUSES as readonly unknown[]).includes(status);
  return isKnown ? { status: status as QuotaRequestStatus | 'all' } : {};
}

export function parsePortalHomeSearch({ ordered }: RawSearch): PortalHomeSearch {
  return typeof ordered === 'string' || typeof ordered === 'number' ? { ordered: String(ordered) } : {};
}
