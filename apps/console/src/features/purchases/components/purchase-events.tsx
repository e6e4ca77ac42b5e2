import { Text } from '@mantine/core';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { PAYMENT_HOLD_REASON_TEXT, PAYMENT_PROVIDER_TEXT } from '../../../lib/labels.js';
import { formatMoney } from '../../../lib/number-format.js';
import { formatMoment } from '../../../lib/time-format.js';
import classes from './purchases.module.css';

const EVENT_TEXT = {
  ENDED: 'Subscription ended at the provider',
  EXPIRED: 'Order expired',
  REJECTED: 'Payment rejected after review',
  RELEASED: 'Payment accepted after review',
  RENEWAL_FAILED: 'Renewal payment failed',
  RENEWAL_RESUMED: 'Renewal resumed',
  RENEWAL_STOPPED: 'Renewal canceled',
  SUBSCRIBED: 'Subscription started',
} as const;

type Purchase = NonNullable<PurchaseQuery['purchase']>;
type Event = Purchase['events'][number];

/** What happened to a purchase, newest first. */
export function PurchaseEvents({ purchase }: { purchase: Purchase }) {
  return (
    <ol className={classes.events}>
      {withoutEchoes(purchase.events).map((event) => (
        <li key={`${event.source} ${event.id}`} data-tone={toneOf(event)}>
          <span>
            <EventText event={event} currency={purchase.currency} />
          </span>
          <Text span size="sm" c="dimmed">
            {formatMoment(event.at)}
            {event.source !== 'TOLLGATE' && ` · ${PAYMENT_PROVIDER_TEXT[event.source]}`}
          </Text>
        </li>
      ))}
      <li>
        <span>Ordered</span>
        <Text span size="sm" c="dimmed">
          {formatMoment(purchase.createdAt)}
        </Text>
      </li>
    </ol>
  );
}

/** Newest first. What we ask of a provider it tells back: the second of two alike says nothing. */
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
    case 'DISPUTED':
    case 'DISPUTE_WON':
    case 'DISPUTE_LOST':
      return {
        DISPUTED: `${amount} disputed`,
        DISPUTE_LOST: `Dispute lost: ${amount}`,
        DISPUTE_WON: `Dispute won: ${amount} returned`,
        PAID: `Paid ${amount}`,
        REFUNDED: `${amount} refunded in total`,
      }[event.type];
    case 'WITHHELD':
      return `Payment needs review: ${event.reason == null ? '' : PAYMENT_HOLD_REASON_TEXT[event.reason]}`;
    default:
      return EVENT_TEXT[event.type];
  }
}

function toneOf({ type }: Event): 'good' | 'bad' | undefined {
  if (['PAID', 'RELEASED', 'DISPUTE_WON', 'RENEWAL_RESUMED'].includes(type)) return 'good';
  return ['RENEWAL_FAILED', 'DISPUTED', 'DISPUTE_LOST', 'REJECTED', 'WITHHELD'].includes(type)
    ? 'bad'
    : undefined;
}
