import { Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { DataTable, hidden, NumericCell, numeric, ScrollSideways } from '../../components/data-table.js';
import { PdfLink } from '../../components/links.js';
import { KeyText } from '../../components/marks.js';
import { EmptyText, Hint } from '../../components/page.js';
import type { OfferKind, PurchaseStatus } from '../../generated/graphql.js';
import { useLimitTitle, usePageZone } from '../../lib/customer-page.js';
import { capital, describeEffects, describeInterval } from '../../lib/effect-text.js';
import { PAYMENT_PROVIDER_TEXT, PAYMENT_REVIEW_REASON_TEXT, PURCHASE_STATUS_TEXT } from '../../lib/labels.js';
import { formatMoney } from '../../lib/number-format.js';
import { formatMomentInZone } from '../../lib/time-format.js';
import type { Purchase } from './api.js';
import classes from './purchases.module.css';
import { WhatComesNext } from './purchases-table.js';

export function PurchaseFacts({ purchase, offer }: { purchase: Purchase; offer: ReactNode }) {
  const timeZone = usePageZone();
  const { amountMinor, currency, interval, effects, provider, createdAt } = purchase;
  return (
    <dl className={`tg-facts ${classes.facts}`}>
      <dt>Offer</dt>
      <dd>{offer}</dd>
      <dt>Price</dt>
      <dd className="tg-number">
        {formatMoney(amountMinor, currency)} {describeInterval(interval)}
      </dd>
      <dt>Payment method</dt>
      <dd>{PAYMENT_PROVIDER_TEXT[provider]}</dd>
      <dt>Effect</dt>
      <dd>{capital(describeEffects(effects, useLimitTitle()))}</dd>
      <dt>Ordered</dt>
      <dd>{formatMomentInZone(createdAt, timeZone)}</dd>
      <dt>Next</dt>
      <dd>
        <WhatComesNext purchase={purchase} />
      </dd>
    </dl>
  );
}

interface PaymentsTableProps {
  purchase: Purchase;
  actionsOf?: (payment: Purchase['payments'][number]) => ReactNode;
}

export function PaymentsTable({ purchase, actionsOf }: PaymentsTableProps) {
  const timeZone = usePageZone();
  if (purchase.payments.length === 0) return <EmptyText>No payments.</EmptyText>;
  const statuses = { ACCEPTED: 'Accepted', NEEDS_REVIEW: 'Needs review', REJECTED: 'Rejected' };
  const columns = [
    'When',
    'Payment',
    'Status',
    numeric('Amount'),
    numeric('Refunded'),
    'Receipt',
    ...(actionsOf ? [hidden('Actions')] : []),
  ];
  return (
    <DataTable label="Payments" columns={columns}>
      {purchase.payments.map((payment) => {
        const back = payment.refundedMinor + payment.disputedMinor;
        return (
          <tr key={payment.ref}>
            <td className="tg-nowrap">{formatMomentInZone(payment.at, timeZone)}</td>
            <td>
              <KeyText c="dimmed" truncate display="block" maw={180}>
                {payment.ref}
              </KeyText>
            </td>
            <td>
              {statuses[payment.status]}
              {payment.reviewReason && <Hint>{PAYMENT_REVIEW_REASON_TEXT[payment.reviewReason]}</Hint>}
            </td>
            <NumericCell>{formatMoney(payment.amountMinor, payment.currency)}</NumericCell>
            <NumericCell>{back === 0 ? '–' : formatMoney(back, payment.currency)}</NumericCell>
            <td>
              <PdfLink
                href={`/api/receipts/${purchase.id}.pdf?payment=${encodeURIComponent(payment.ref)}`}
                label={`Receipt of ${formatMomentInZone(payment.at, timeZone)} as PDF`}
              >
                PDF
              </PdfLink>
            </td>
            {actionsOf && <td>{actionsOf(payment)}</td>}
          </tr>
        );
      })}
    </DataTable>
  );
}

export function MoneyTable({ purchase }: { purchase: Purchase }) {
  const timeZone = usePageZone();
  const accounts = {
    CASH: 'Cash',
    REVENUE: 'Revenue',
    SUSPENSE: 'Suspense (payments that need review)',
    DISPUTED: 'Disputed payments',
  };
  const columns = ['When', 'Account', numeric('Amount')];
  return (
    <DataTable label="Ledger" columns={columns}>
      {purchase.moneyEntries.map(({ id, at, account, amountMinor, currency }) => (
        <tr key={id}>
          <td className="tg-nowrap">{formatMomentInZone(at, timeZone)}</td>
          <td>{accounts[account]}</td>
          <NumericCell>{formatMoney(Number(amountMinor), currency)}</NumericCell>
        </tr>
      ))}
    </DataTable>
  );
}

const EVENT_TEXT = {
  SUBSCRIPTION_ENDED: 'Subscription ended at the provider',
  CANCELED: 'Order canceled',
  REJECTED: 'Payment rejected after review',
  APPROVED: 'Payment approved after review',
  RENEWAL_FAILED: 'Renewal payment failed',
  RENEWAL_RESUMED: 'Renewal resumed',
  RENEWAL_STOPPED: 'Renewal canceled',
  SUBSCRIBED: 'Subscription started',
  PROCESSING: 'Payment processing at the bank',
  PAYMENT_FAILED: 'Payment failed',
} as const;

type Event = Purchase['events'][number];

export function PurchaseEvents({ purchase }: { purchase: Purchase }) {
  const timeZone = usePageZone();
  return (
    <ol className={classes.events}>
      {withoutEchoes(purchase.events).map((event) => (
        <li key={`${event.source} ${event.id}`} data-tone={toneOf(event)}>
          <span>
            <EventText event={event} currency={purchase.currency} />
          </span>
          <Text span size="sm" c="dimmed">
            {formatMomentInZone(event.at, timeZone)}
            {event.source !== 'TOLLGATE' && ` · ${PAYMENT_PROVIDER_TEXT[event.source]}`}
          </Text>
        </li>
      ))}
      <li>
        <span>Ordered</span>
        <Text span size="sm" c="dimmed">
          {formatMomentInZone(purchase.createdAt, timeZone)}
        </Text>
      </li>
    </ol>
  );
}

/** Newest first, without the events that providers send for our own requests. */
function withoutEchoes(events: readonly Event[]): Event[] {
  return events
    .filter((event, i) => event.payment !== null || event.type !== events[i - 1]?.type)
    .toReversed();
}

function EventText({ event, currency }: { event: Event; currency: string }) {
  const amount = formatMoney(event.amountMinor ?? 0, currency);
  switch (event.type) {
    case 'PAID':
    case 'REFUNDED':
    case 'REFUND_FAILED':
    case 'DISPUTED':
    case 'DISPUTE_WON':
    case 'DISPUTE_LOST':
      return {
        DISPUTED: `${amount} disputed`,
        DISPUTE_LOST: `Dispute lost: ${amount}`,
        DISPUTE_WON: `Dispute won: ${amount} returned`,
        PAID: `Paid ${amount}`,
        REFUNDED: `${amount} refunded in total`,
        REFUND_FAILED: `Refund of ${amount} failed`,
      }[event.type];
    case 'FLAGGED':
      return `Payment needs review: ${event.reason == null ? '' : PAYMENT_REVIEW_REASON_TEXT[event.reason]}`;
    default:
      return EVENT_TEXT[event.type];
  }
}

function toneOf({ type }: Event): 'good' | 'bad' | undefined {
  if (['PAID', 'APPROVED', 'DISPUTE_WON', 'RENEWAL_RESUMED'].includes(type)) return 'good';
  return [
    'PAYMENT_FAILED',
    'REFUND_FAILED',
    'RENEWAL_FAILED',
    'DISPUTED',
    'DISPUTE_LOST',
    'REJECTED',
    'FLAGGED',
  ].includes(type)
    ? 'bad'
    : undefined;
}

const WIDTH = 112;
const HEIGHT = 34;
const WHOLE_WIDTH = 704;

/** Center of each state in the drawing. */
const PLACES: Readonly<Record<PurchaseStatus, readonly [x: number, y: number]>> = {
  PENDING: [62, 112],
  PROCESSING: [62, 190],
  NEEDS_REVIEW: [240, 34],
  CANCELED: [240, 190],
  ACTIVE: [430, 112],
  REJECTED: [430, 34],
  PAST_DUE: [430, 190],
  DISPUTED: [642, 34],
  REFUNDED: [642, 112],
  EXPIRED: [642, 190],
};

interface Edge {
  from: PurchaseStatus;
  to: PurchaseStatus;
  label: string;
  /** Position of the label; defaults to the middle. */
  at?: readonly [x: number, y: number];
}

const EDGES: readonly Edge[] = [
  { from: 'PENDING', to: 'ACTIVE', label: 'paid as ordered' },
  { from: 'PENDING', to: 'NEEDS_REVIEW', label: 'payment differs', at: [132, 62] },
  { from: 'PENDING', to: 'CANCELED', label: 'canceled', at: [180, 140] },
  { from: 'PENDING', to: 'PROCESSING', label: 'bank debit', at: [32, 154] },
  { from: 'PROCESSING', to: 'ACTIVE', label: 'paid', at: [340, 140] },
  { from: 'PROCESSING', to: 'CANCELED', label: 'fails', at: [150, 206] },
  { from: 'NEEDS_REVIEW', to: 'ACTIVE', label: 'approved', at: [346, 78] },
  { from: 'NEEDS_REVIEW', to: 'REJECTED', label: 'rejected' },
  { from: 'ACTIVE', to: 'PAST_DUE', label: 'renewal fails', at: [474, 151] },
  { from: 'ACTIVE', to: 'DISPUTED', label: 'disputed', at: [531, 62] },
  { from: 'ACTIVE', to: 'REFUNDED', label: 'refunded' },
  { from: 'ACTIVE', to: 'EXPIRED', label: 'expires', at: [560, 148] },
  { from: 'PAST_DUE', to: 'EXPIRED', label: 'not paid' },
];

/** All states of a purchase, with the current one highlighted. */
export function StateMachine({ status, kind }: { status: PurchaseStatus; kind: OfferKind }) {
  // One-time purchases have no renewal that could fail.
  const isPossible = (state: PurchaseStatus) => kind === 'UPGRADE' || state !== 'PAST_DUE';
  const states = (Object.keys(PLACES) as PurchaseStatus[]).filter(isPossible);
  const drawing = useRef<SVGSVGElement>(null);
  useEffect(() => {
    // Scrolls a narrow screen to the current state.
    const host = drawing.current?.parentElement;
    if (!host) return;
    const [x] = PLACES[status];
    host.scrollLeft = (x / WHOLE_WIDTH) * host.scrollWidth - host.clientWidth / 2;
  }, [status]);
  const edges = EDGES.filter(({ from, to }) => isPossible(from) && isPossible(to));
  return (
    <ScrollSideways>
      <svg
        ref={drawing}
        className={classes.drawing}
        viewBox={`0 0 ${WHOLE_WIDTH} 224`}
        role="img"
        aria-label={`Purchase lifecycle; current status: ${PURCHASE_STATUS_TEXT[status]}`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0.8 7 4 0 7.2z" className={classes.head} />
          </marker>
        </defs>
        {edges.map((edge) => (
          <Arrow key={`${edge.from} ${edge.to}`} edge={edge} isNext={edge.from === status} />
        ))}
        {states.map((state) => {
          const [x, y] = PLACES[state];
          return (
            <g key={state} className={classes.state} data-current={state === status || undefined}>
              <rect x={x - WIDTH / 2} y={y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx={7} />
              <text x={x} y={y}>
                {PURCHASE_STATUS_TEXT[state]}
              </text>
            </g>
          );
        })}
      </svg>
    </ScrollSideways>
  );
}

function Arrow({ edge: { from, to, label, at }, isNext }: { edge: Edge; isNext: boolean }) {
  const [x1, y1, x2, y2] = between(PLACES[from], PLACES[to]);
  const [x, y] = at ?? [(x1 + x2) / 2, (y1 + y2) / 2 - 8];
  return (
    <g className={classes.edge} data-next={isNext || undefined}>
      <path d={`M${x1} ${y1} ${x2} ${y2}`} markerEnd="url(#arrow)" />
      <text x={x} y={y}>
        {label}
      </text>
    </g>
  );
}

/** The line between the edges of two boxes. */
function between(
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
): [number, number, number, number] {
  if (ax === bx) {
    const down = by > ay ? 1 : -1;
    return [ax, ay + (HEIGHT / 2) * down, bx, by - (HEIGHT / 2 + 2) * down];
  }
  return [ax + WIDTH / 2, ay, bx - WIDTH / 2 - 2, by];
}
