import { Badge } from '@mantine/core';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { KeyText, StateDot } from '../../components/marks.js';
import type { OfferFieldsFragment, OfferKind } from '../../generated/graphql.js';
import { describeEffects, describePrice } from '../../lib/effect-text.js';
import { ENTITLEMENT_SOURCE_TEXT } from '../../lib/labels.js';
import { formatNumber } from '../../lib/number-format.js';
import classes from './offers.module.css';

const OFFER_STATUS_TEXT = { ACTIVE: 'On sale', ARCHIVED: 'Archived', DRAFT: 'Draft' } as const;

const TONES = { DRAFT: 'quiet', ACTIVE: 'good', ARCHIVED: 'quiet' } as const;

export function OfferKindBadge({ kind }: { kind: OfferKind }) {
  return <Badge color={kind === 'UPGRADE' ? 'gate' : 'gray'}>{ENTITLEMENT_SOURCE_TEXT[kind]}</Badge>;
}

interface OfferStatusDotProps {
  offer: Pick<OfferFieldsFragment, 'status' | 'isPriceConfirmed'>;
}

export function OfferStatusDot({ offer: { status, isPriceConfirmed } }: OfferStatusDotProps) {
  if (status === 'ACTIVE' && !isPriceConfirmed) return <StateDot tone="warn">Price not confirmed</StateDot>;
  return <StateDot tone={TONES[status]}>{OFFER_STATUS_TEXT[status]}</StateDot>;
}

const ORDER = { ACTIVE: 0, DRAFT: 1, ARCHIVED: 2 } as const;

/** Offers on sale first, archived ones last. */
export function OffersTable({ offers }: { offers: readonly OfferFieldsFragment[] }) {
  const columns = ['Offer', 'Kind', 'Effect', numeric('Price'), numeric('In stock'), 'Status'];
  const rows = offers.toSorted((a, b) => ORDER[a.status] - ORDER[b.status] || a.name.localeCompare(b.name));
  return (
    <DataTable label="Offers" columns={columns}>
      {rows.map((offer) => (
        <tr key={offer.key} data-archived={offer.status === 'ARCHIVED' || undefined} className={classes.row}>
          <th scope="row">
            <LinkAnchor to="/offers/$offerKey" params={{ offerKey: offer.key }}>
              {offer.name}
            </LinkAnchor>
            <KeyText c="dimmed" display="block" fz="0.75rem">
              {offer.key}
            </KeyText>
          </th>
          <td>
            <OfferKindBadge kind={offer.kind} />
          </td>
          <td className={classes.effect}>{describeEffects(offer.effects)}</td>
          <NumericCell>
            <span className="tg-nowrap">
              {describePrice(offer.priceMinor, offer.currency, offer.interval)}
            </span>
          </NumericCell>
          <NumericCell>
            {offer.stockLeft == null ? (
              <span className="tg-soft">unlimited</span>
            ) : (
              formatNumber(offer.stockLeft)
            )}
          </NumericCell>
          <td>
            <OfferStatusDot offer={offer} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
