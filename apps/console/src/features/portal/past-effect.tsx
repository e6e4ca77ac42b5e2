import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PurchasePreviewQuery } from '../../generated/graphql.js';
import { formatNumber, plural } from '../../lib/number-format.js';

export type PurchasedLimit = NonNullable<PurchasePreviewQuery['purchasePreview']>['limits'][number];

const GAP_TEXT: Readonly<Record<NonNullable<PurchasedLimit['past']['gap']>, string>> = {
  PER_CALLER: 'it counts callers separately',
  NOT_BY_REQUESTS: 'it depends on more than the number of requests',
  NOT_ENFORCED: 'it does not deny all requests above it',
  LONG_WINDOW: 'its window is too long',
};

/** What a limit denied in the last 30 days, and would have denied with a purchase. */
export function PastEffect({ past }: Pick<PurchasedLimit, 'past'>) {
  const { requests, denied, after, gap } = past;
  if (requests === 0) return <Sentence>You sent no requests in the last 30 days.</Sentence>;
  if (denied === 0) {
    return (
      <Sentence>In the last 30 days, this limit denied none of your {plural(requests, 'request')}.</Sentence>
    );
  }
  return (
    <>
      <Text size="sm">
        In the last 30 days, this limit denied{' '}
        <strong>
          {formatNumber(denied)} of {plural(requests, 'request')}
        </strong>
        {after && isTelling(after, denied) && (
          <>
            . With this purchase, it would have denied{' '}
            <strong style={{ whiteSpace: 'nowrap' }}>{rangeText(after)}</strong>
          </>
        )}
        .
      </Text>
      <Text size="xs" c="dimmed">
        {after === null &&
          `The effect cannot be computed from your usage: ${gap ? GAP_TEXT[gap] : 'unknown'}.`}
        {after &&
          !isTelling(after, denied) &&
          'Your stored usage does not show how many the purchase would have allowed.'}
        {after && isTelling(after, denied) && basisText(after)}
      </Text>
    </>
  );
}

const Sentence = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

type Range = NonNullable<PurchasedLimit['past']['after']>;

/** Whether the range is narrower than what is known without it. */
const isTelling = ({ low, high }: Range, denied: number): boolean => low > 0 || high < denied;

function rangeText({ low, high }: Range): string {
  if (high === 0) return 'none';
  if (low === high) return formatNumber(low);
  return `${formatNumber(low)} to ${formatNumber(high)}`;
}

const basisText = ({ low, high }: Range): string =>
  low === high
    ? 'Counted from your usage, for this limit alone.'
    : 'A range, because usage is stored per minute and hour. For this limit alone.';
