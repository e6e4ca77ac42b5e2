import { Text } from '@mantine/core';
import { FillBar } from '../../../components/figures.js';
import { type DotTone, StateDot } from '../../../components/marks.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone, formatTimeLeft, useNow } from '../../../lib/time-format.js';
import type { QuotaUsage } from '../api/usage-summary.js';
import classes from './usage.module.css';

/** Quotas of a tenant, each with what is used, when it is whole again, and when it runs out at this pace. */
export function QuotaList({ quotas, timeZone }: { quotas: readonly QuotaUsage[]; timeZone: string }) {
  if (quotas.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        No quotas apply. See the effective limits for rate limits.
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
  const now = useNow();
  const { apiKey, limitName, operations, limit, used, unitsPerHour, periodEnd, isLive } = quota;
  const leftMs = Date.parse(periodEnd) - now;
  return (
    <li className={classes.quota}>
      <div>
        <Text fw={500}>
          {operations.length === 0 ? 'all operations' : operations.join(', ')}{' '}
          <Text span c="dimmed" fw={400}>
            {apiKey}
          </Text>
        </Text>
        <Text size="sm" component="div">
          <Forecast quota={quota} now={now} timeZone={timeZone} />
        </Text>
        {!isLive && (
          <Text size="xs" c="dimmed">
            The counter is unavailable. This estimate comes from usage data and may be slightly low.
          </Text>
        )}
      </div>
      <div>
        <div className={classes.quotaLine}>
          <span>
            {formatNumber(used)} of {formatNumber(limit)} used
          </span>
          <span>{formatNumber(Math.round(unitsPerHour))} per hour</span>
        </div>
        <FillBar label={`${limitName}, ${apiKey}`} share={limit === 0 ? 1 : used / limit} />
        <div className={classes.quotaLine}>
          resets in {formatTimeLeft(leftMs)} ({formatInZone(periodEnd, timeZone)})
        </div>
      </div>
    </li>
  );
}

function Forecast({ quota, now, timeZone }: { quota: QuotaUsage; now: number; timeZone: string }) {
  const { limit, used, runsOutAt, periodEnd } = quota;
  const [tone, text] = ((): [DotTone, string] => {
    if (used >= limit) return ['bad', `Used up until ${formatInZone(periodEnd, timeZone)}`];
    if (runsOutAt == null) return ['good', 'Lasts until the period ends'];
    const left = formatTimeLeft(Date.parse(runsOutAt) - now);
    return ['warn', `Runs out in ${left} (${formatInZone(runsOutAt, timeZone)})`];
  })();
  return <StateDot tone={tone}>{text}</StateDot>;
}
