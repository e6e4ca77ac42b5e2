import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { formatMoney } from '../../../lib/money.js';
import { formatMoment } from '../../../lib/time-format.js';
import classes from './purchases.module.css';

type Purchase = NonNullable<PurchaseQuery['purchase']>;
type Event = Purchase['events'][number];

/** What happened to a purchase, newest first. */
export function PurchaseEvents({ purchase }: { purchase: Purchase }) {
  const t = useTranslations('purchases');
  return (
    <ol className={classes.events}>
      {withoutEchoes(purchase.events).map((event) => (
        <li key={`${event.source} ${event.id}`} data-tone={toneOf(event)}>
          <span>
            <EventText event={event} currency={purchase.currency} />
          </span>
          <Text span size="sm" c="dimmed">
            {formatMoment(event.at)}
            {event.source !== 'TOLLGATE' && ` · ${t(event.source)}`}
          </Text>
        </li>
      ))}
      <li>
        <span>{t('e_ordered')}</span>
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
  const t = useTranslations('purchases');
  const amount = formatMoney(event.amountMinor ?? 0, currency);
  switch (event.type) {
    case 'PAID':
    case 'REFUNDED':
    case 'DISPUTED':
    case 'DISPUTE_WON':
    case 'DISPUTE_LOST':
      return t(`e_${event.type}`, { amount });
    case 'WITHHELD':
      return t('e_WITHHELD', { why: event.reason == null ? '' : t(event.reason) });
    default:
      return t(`e_${event.type}`);
  }
}

function toneOf({ type }: Event): 'good' | 'bad' | undefined {
  if (['PAID', 'RELEASED', 'DISPUTE_WON', 'RENEWAL_RESUMED'].includes(type)) return 'good';
  return ['RENEWAL_FAILED', 'DISPUTED', 'DISPUTE_LOST', 'REJECTED', 'WITHHELD'].includes(type)
    ? 'bad'
    : undefined;
}
