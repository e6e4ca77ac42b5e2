import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import type {
  InvoiceStatus,
  PaymentEventReviewStatus,
  PurchaseStatus,
  QuotaRequestStatus,
  TenantStatus,
} from '../generated/graphql.js';

/** Search parameters of each page. Unknown or malformed values are dropped. */
export interface SignInSearch {
  /** A path of this console to go to afterwards. */
  next?: string;
  /** A one-time link was followed that no longer works. */
  link?: 'spent';
}

export interface TenantsSearch {
  search?: string;
  tier?: string;
  status?: TenantStatus;
}

/** Which entries of the audit trail; days are of the reader's zone. */
export interface AuditSearchParams {
  tenant?: string;
  actor?: string;
  action?: string;
  entityId?: string;
  from?: string;
  to?: string;
}

export interface NoticesSearch {
  alarms?: true;
}

/** Which revisions are listed, and which two are compared. */
export interface RevisionsSearch {
  catalogue?: true;
  from?: number;
  to?: number;
}

/** The request ID, API key or tenant to explain, as typed. */
export interface WhySearch {
  q?: string;
  request?: string;
}

type RawSearch = Record<string, unknown>;

/** Drops a `next` that leads to another origin. */
export function parseSignInSearch(raw: RawSearch): SignInSearch {
  const { next, link } = raw;
  return {
    ...(typeof next === 'string' && sameOriginUrl('http://localhost', next) !== undefined ? { next } : {}),
    ...(link === 'spent' ? { link } : {}),
  };
}

export const parseNoticesSearch = ({ alarms }: RawSearch): NoticesSearch =>
  alarms === true ? { alarms } : {};

/** The tenant list's filter. */
export function parseTenantsSearch(raw: RawSearch): TenantsSearch {
  const { status } = raw;
  return {
    ...textPart(raw, 'search'),
    ...textPart(raw, 'tier'),
    ...(status === 'ACTIVE' || status === 'SUSPENDED' || status === 'ARCHIVED' ? { status } : {}),
  };
}

/** Two tiers to compare, each with the number of a version; without one the newest is meant. */
export interface TierCompareSearch {
  a?: string;
  av?: number;
  b?: string;
  bv?: number;
}

/** Which versions are compared. */
export function parseTierCompareSearch(raw: RawSearch): TierCompareSearch {
  return { ...textPart(raw, 'a'), ...numberPart(raw, 'av'), ...textPart(raw, 'b'), ...numberPart(raw, 'bv') };
}

function numberPart<K extends string>(raw: RawSearch, key: K): Partial<Record<K, number>> {
  const value = Number(raw[key]);
  return Number.isSafeInteger(value) && value > 0 ? ({ [key]: value } as Partial<Record<K, number>>) : {};
}

/** The router parses numeric keys as numbers; converts them back to strings. */
function textPart<K extends string>(raw: RawSearch, key: K): Partial<Record<K, string>> {
  const value = raw[key];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text === '' ? {} : ({ [key]: text } as Partial<Record<K, string>>);
}

/** The trail's filter; days that are none are dropped. */
export function parseAuditSearch(raw: RawSearch): AuditSearchParams {
  return {
    ...textPart(raw, 'tenant'),
    ...textPart(raw, 'actor'),
    ...textPart(raw, 'action'),
    ...textPart(raw, 'entityId'),
    ...dayPart(raw, 'from'),
    ...dayPart(raw, 'to'),
  };
}

/** Two revisions are compared, or none. */
export function parseRevisionsSearch(raw: RawSearch): RevisionsSearch {
  const { from, to } = raw;
  const areBoth = isRevision(from) && isRevision(to);
  return { ...(raw.catalogue === true ? { catalogue: true } : {}), ...(areBoth ? { from, to } : {}) };
}

function isRevision(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function dayPart<K extends string>(raw: RawSearch, key: K): Partial<Record<K, string>> {
  const value = raw[key];
  const isDay =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDay ? ({ [key]: value } as Partial<Record<K, string>>) : {};
}

export const parseWhySearch = (raw: RawSearch): WhySearch => ({
  ...textPart(raw, 'q'),
  ...textPart(raw, 'request'),
});

export const PURCHASE_STATUSES = [
  ...[
    'PENDING',
    'NEEDS_REVIEW',
    'ACTIVE',
    'PAST_DUE',
    'DISPUTED',
    'EXPIRED',
    'REFUNDED',
    'CANCELED',
    'REJECTED',
  ],
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
