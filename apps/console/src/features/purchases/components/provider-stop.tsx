import { Alert, Group, Text } from '@mantine/core';
import { IconCreditCardOff } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { GatedButton } from '../../../components/gated-button.js';
import type { PurchaseQuery } from '../../../generated/graphql.js';
import { formatMoment } from '../../../lib/time-format.js';

type Purchase = NonNullable<PurchaseQuery['purchase']>;

/** That a provider was not told yet, or does not agree, to charge nothing any more; nothing where it knows. */
export function ProviderStopAlert({ purchase, onRetry }: { purchase: Purchase; onRetry: () => void }) {
  const t = useTranslations('purchases');
  const { providerStop: stop, provider, tenantKey } = purchase;
  if (!stop) return null;
  const { attempts, isGivenUp, lastError, nextAttemptAt } = stop;
  const names = { provider: t(provider), attempts };
  const whatNext = isGivenUp
    ? t('stopGivenUp')
    : nextAttemptAt
      ? t('stopNext', { at: formatMoment(nextAttemptAt) })
      : t('stopPendingHint');
  return (
    <Alert
      color="ember"
      icon={<IconCreditCardOff size={18} aria-hidden />}
      title={attempts > 0 ? t('stopRefused', names) : t('stopPending', names)}
    >
      <Group justify="space-between" align="flex-end">
        <div>
          {lastError && <Text size="sm">{t('stopSaid', { error: lastError })}</Text>}
          <Text size="sm">{whatNext}</Text>
        </div>
        <GatedButton permission="payments:write" tenantKey={tenantKey} variant="default" onClick={onRetry}>
          {t('stopRetry')}
        </GatedButton>
      </Group>
    </Alert>
  );
}
