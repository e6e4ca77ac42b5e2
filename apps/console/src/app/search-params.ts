import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import type {
  InvoiceStatus,
  JobState,
  PaymentEventReviewStatus,
  PurchaseStatus,
  QuotaRequestStatus,
  TenantStatus,
} from '../generated/graphql.js';

type RawSearch = Record<string, unknown>;

/** Reads search parameters, each by its parser. Unknown or malformed values are dropped. */
function parserOf<P extends Record<string, (value: unknown) => unknown>>(parsers: P) {
  type Search = { [K in keyof P]?: Exclude<ReturnType<P[K]>, undefined> };
  return (raw: RawSearch): Search => {
    const parsed = Object.entries(parsers).map(([name, parse]) => [name, parse(raw[name])] as const);
    return Object.fromEntries(parsed.filter(([, value]) => value !== undefined)) as Search;
  };
}

/** The router parses numeric values as numbers; converts them back to strings. */
const text = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined;

function positive(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

const flag = (value: unknown): true | undefined => (value === true ? true : undefined);

const oneOf =
  <const T>(known: readonly T[]) =>
  (value: unknown): T | undefined =>
    known.find((one) => one === value);

/** A path of this origin. */
const path = (value: unknown): string | undefined =>
  typeof value === 'string' && sameOriginUrl('http://localhost', value) !== undefined ? value : undefined;

/**
 * `next`: a page to open afterwards. `link`: the visitor followed a one-time link that no longer works. `session`: it ended on
 * a page.
 */
export const parseSignInSearch = parserOf({ next: path, link: oneOf(['spent']), session: oneOf(['ended']) });

export type SignInSearch = ReturnType<typeof parseSignInSearch>;

export const parseNoticesSearch = parserOf({ alarms: flag });

const TENANT_STATUSES: readonly TenantStatus[] = ['ACTIVE', 'SUSPENDED', 'ARCHIVED'];

const TENANT_SORTS = ['denied', 'requests', 'exhaustion', 'name', 'tier', 'status'] as const;

const percent = (value: unknown): number | undefined => {
  const number = positive(value);
  return number !== undefined && number <= 100 ? number : undefined;
};

/** `over`: at least this utilization. `reverse`: against the natural direction of the order. */
export const parseTenantsSearch = parserOf({
  search: text,
  tier: text,
  status: oneOf(TENANT_STATUSES),
  over: percent,
  denied: flag,
  sort: oneOf(TENANT_SORTS),
  reverse: flag,
});

/** Two tiers to compare, each with the number of a version; without one the newest is meant. */
export const parseTierCompareSearch = parserOf({ a: text, av: positive, b: text, bv: positive });

const JOB_STATES: readonly JobState[] = ['FAILED', 'ACTIVE', 'WAITING', 'SCHEDULED'];

/** Without a state: all jobs. */
export const parseJobsSearch = parserOf({ state: oneOf(JOB_STATES) });

/** Days are of the reader's time zone. */
export const parseAuditSearch = parserOf({
  ...{ tenant: text, actor: text, action: text, entityId: text, changeId: text },
  ...{ from: day, to: day },
});

const revision = (value: unknown): number | undefined =>
  typeof value === 'number' ? positive(value) : undefined;

const parseRevisions = parserOf({ catalogue: flag, from: revision, to: revision });

/** Two revisions are compared, or none. */
export function parseRevisionsSearch(raw: RawSearch): ReturnType<typeof parseRevisions> {
  const { from, to, ...filter } = parseRevisions(raw);
  return from === undefined || to === undefined ? filter : { ...filter, from, to };
}

/** The request ID, API key or tenant to explain, as typed. */
export const parseWhySearch = parserOf({ q: text, request: text });

/** The request ID to explain. */
export const parsePortalWhySearch = parserOf({ request: text });

const REQUEST_STATUSES: readonly QuotaRequestStatus[] = [
  ...(['OPEN', 'COUNTERED', 'APPROVED', 'DECLINED', 'WITHDRAWN'] as const),
];

export interface PurchasesSearch {
  show?: 'invoices' | 'events';
  status?: PurchaseStatus | InvoiceStatus | PaymentEventReviewStatus;
}

/** The statuses that each list of the page can be filtered by. */
export const STATUSES_OF = {
  purchases: [
    ...(['PENDING', 'PROCESSING', 'NEEDS_REVIEW', 'ACTIVE', 'PAST_DUE', 'DISPUTED'] as const),
    ...(['EXPIRED', 'REFUNDED', 'CANCELED', 'REJECTED'] as const),
  ],
  invoices: ['OPEN', 'PAID', 'VOID'],
  events: ['OPEN', 'BOOKED', 'DISMISSED'],
} as const satisfies {
  purchases: readonly PurchaseStatus[];
  invoices: readonly InvoiceStatus[];
  events: readonly PaymentEventReviewStatus[];
};

export function parsePurchasesSearch({ show, status }: RawSearch): PurchasesSearch {
  const list = show === 'invoices' || show === 'events' ? show : 'purchases';
  const known: readonly unknown[] = STATUSES_OF[list];
  return {
    ...(list === 'purchases' ? {} : { show: list }),
    ...(known.includes(status) ? { status: status as NonNullable<PurchasesSearch['status']> } : {}),
  };
}

/** Without a status: the open requests. */
export const parseRequestsSearch = parserOf({ status: oneOf([...REQUEST_STATUSES, 'all']) });

export type RequestsSearch = ReturnType<typeof parseRequestsSearch>;

/** Where the viewer returns from: paying for the offer `ordered`, or saving a card for the auto top-up of `api/limit`. */
export const parsePortalHomeSearch = parserOf({ ordered: text, autoTopUp: text });
