import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { FillBar } from '../../../components/fill-bar.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone, formatTimeLeft } from '../../../lib/time-format.js';
import { useNow } from '../../../lib/use-now.js';
import type { QuotaUsage } from '../api/usage-summary.js';
import classes from './usage.module.css';

/** Quotas of a tenant, each with what is used, when it is whole again, and when it runs out at this pace. */
export function QuotaList({ quotas, timeZone }: { quotas: readonly QuotaUsage[]; timeZone: string }) {
  const t = useTranslations('usage');
  if (quotas.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        {t('noQuotas')}
      </Text>
    );
  }
  return (
    <ul className={classes.quotas}>
      {quotas.map((quota) => (
        <Quota key={`${quota.apiKey}/${quota.limitName}`} quota={quota} timeZone={timeZone} />
      ))}
    </ul>
  );
}

function Quota({ quota, timeZone }: { quota: QuotaUsage; timeZone: string }) {
  const t = useTranslations('usage');
  const now = useNow();
  const { apiKey, limitName, operations, limit, used, unitsPerHour, periodEnd, isLive } = quota;
  const leftMs = Date.parse(periodEnd) - now;
  return (
    <li className={classes.quota}>
      <div>
        <Text fw={500}>
          {operations.length === 0 ? t('allOperations') : operations.join(', ')}{' '}
          <Text span c="dimmed" fw={400}>
            {apiKey}
          </Text>
        </Text>
        <Text size="sm" component="div">
          <Forecast quota={quota} now={now} timeZone={timeZone} />
        </Text>
        {!isLive && (
          <Text size="xs" c="dimmed">
            {t('notLive')}
          </Text>
        )}
      </div>
      <div>
        <div className={classes.quotaLine}>
          <span>{t('quotaUsed', { used: formatNumber(used), limit: formatNumber(limit) })}</span>
          <span>{t('quotaPace', { rate: formatNumber(Math.round(unitsPerHour)) })}</span>
        </div>
        <FillBar label={`${limitName}, ${apiKey}`} share={limit === 0 ? 1 : used / limit} />
        <div className={classes.quotaLine}>
          {t('quotaResets', { left: formatTimeLeft(leftMs), when: formatInZone(periodEnd, timeZone) })}
        </div>
      </div>
    </li>
  );
}

function Forecast({ quota, now, timeZone }: { quota: QuotaUsage; now: number; timeZone: string }) {
  const t = useTranslations('usage');
  const { limit, used, runsOutAt, periodEnd } = quota;
  const [tone, text] = ((): [DotTone, string] => {
    if (used >= limit) return ['bad', t('usedUp', { when: formatInZone(periodEnd, timeZone) })];
    if (runsOutAt == null) return ['good', t('lasts')];
    const left = formatTimeLeft(Date.parse(runsOutAt) - now);
    return ['warn', t('runsOut', { left, when: formatInZone(runsOutAt, timeZone) })];
  })();
  return <StateDot tone={tone}>{text}</StateDot>;
}
