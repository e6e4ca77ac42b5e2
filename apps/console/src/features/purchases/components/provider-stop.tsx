import { Alert, Group, Text } from '@mantine/core';
import { IconCreditCardOff } from '@tabler/icons-react';
import { GatedButton } from '../../../components/buttons.js';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { PAYMENT_PROVIDER_TEXT } from '../../../lib/labels.js';
import { plural } from '../../../lib/number-format.js';
import { formatMoment } from '../../../lib/time-format.js';

type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** That a provider was not told yet, or does not agree, to charge nothing any more; nothing where it knows. */
export function ProviderStopAlert({ purchase, onRetry }: { purchase: Purchase; onRetry: () => void }) {
  const { providerStop: stop, provider, tenantKey } = purchase;
  if (!stop) return null;
  const { attempts, isGivenUp, lastError, nextAttemptAt } = stop;
  const names = { provider: PAYMENT_PROVIDER_TEXT[provider], attempts };
  const whatNext = isGivenUp
    ? 'Automatic retries have ended. Cancel the subscription at the provider, or retry.'
    : nextAttemptAt
      ? `Next attempt: ${formatMoment(nextAttemptAt)}.`
      : `The worker retries automatically. ${names.provider} may charge again until it confirms.`;
  return (
    <Alert
      color="ember"
      icon={<IconCreditCardOff size={18} aria-hidden />}
      title={
        attempts > 0
          ? `${names.provider} has not confirmed the cancellation (${plural(names.attempts, 'attempt')})`
          : `Cancellation pending at ${names.provider}`
      }
    >
      <Group justify="space-between" align="flex-end">
        <div>
          {lastError && <Text size="sm">Last error: {lastError}</Text>}
          <Text size="sm">{whatNext}</Text>
        </div>
        <GatedButton permission="payments:write" tenantKey={tenantKey} variant="default" onClick={onRetry}>
          Retry now
        </GatedButton>
      </Group>
    </Alert>
  );
}
