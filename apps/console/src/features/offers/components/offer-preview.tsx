import { Text } from '@mantine/core';
import { Panel } from '../../../components/page.js';
import { describeInterval, type OfferTerms, summarizeOffer } from '../../../lib/effect-text.js';
import { formatMoney } from '../../../lib/number-format.js';
import { OfferKindBadge } from './offer-kind.js';
import classes from './offers.module.css';

/** What a customer reads before buying. */
export function OfferPreview({
  name,
  description,
  terms,
}: {
  name: string;
  description: string;
  terms: OfferTerms;
}) {
  return (
    <Panel title="Offer" note="As shown to customers." actions={<OfferKindBadge kind={terms.kind} />}>
      <Text fw={600}>{name || 'New offer'}</Text>
      {description && (
        <Text size="sm" c="dimmed" mt={2}>
          {description}
        </Text>
      )}
      <p className={classes.priceBig} style={{ margin: '10px 0' }}>
        {formatMoney(terms.priceMinor, terms.currency)} <span>{describeInterval(terms.interval)}</span>
      </p>
      <p className={classes.sentence} style={{ margin: 0 }} aria-live="polite">
        {summarizeOffer(terms)}
      </p>
    </Panel>
  );
}
