import type { InvoiceStatus, PurchaseStatus, QuotaRequestStatus } from '../generated/graphql.js';

type RawSearch = Record<string, unknown>;

export const PURCHASE_STATUSES = [
  ...['PENDING', 'HELD', 'ACTIVE', 'GRACE', 'DISPUTED', 'ENDED', 'REFUNDED', 'EXPIRED', 'REJECTED'],
] as readonly PurchaseStatus[];
const INVOICE_STATUSES: readonly InvoiceStatus[] = ['OPEN', 'PAID', 'VOID'];
const REQUEST_STATUSES: readonly QuotaRequestStatus[] = [
  ...(['OPEN', 'COUNTERED', 'APPROVED', 'DECLINED', 'WITHDRAWN'] as const),
];

export interface PurchasesSearch {
  show?: 'invoices';
  status?: PurchaseStatus | InvoiceStatus;
}

export interface RequestsSearch {
  status?: QuotaRequestStatus | 'all';
}

export interface PortalHomeSearch {
  /** An offer whose payment the viewer comes back from. */
  ordered?: string;
}

/** Which purchases or invoices are listed. */
export function parsePurchasesSearch({ show, status }: RawSearch): PurchasesSearch {
  const isInvoices = show === 'invoices';
  const known: readonly unknown[] = isInvoices ? INVOICE_STATUSES : PURCHASE_STATUSES;
  return {
    ...(isInvoices ? { show } : {}),
    ...(known.includes(status) ? { status: status as PurchaseStatus | InvoiceStatus } : {}),
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
