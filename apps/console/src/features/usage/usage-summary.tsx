import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Figure, Figures, FillBar, Numbers } from '../../components/figures.js';
import { type DotTone, KeyText, StateDot } from '../../components/marks.js';
import { EmptyText, Failure, Panel } from '../../components/page.js';
import { formatNumber, formatShare } from '../../lib/number-format.js';
import { formatInZone, formatTimeLeft, useNow } from '../../lib/time-format.js';
import { limitCrossingsQuery, type QuotaUsage, usageSummaryQuery } from './api.js';
import classes from './usage.module.css';
import { counterSubject, formatAt } from './usage-lines.js';

/** Quotas of a tenant: usage, reset and forecast. */
function QuotaList({ quotas, timeZone }: { quotas: readonly QuotaUsage[]; timeZone: string }) {
  if (quotas.length === 0)
    return <EmptyText>No quotas apply. See the effective limits for rate limits.</EmptyText>;
  return (
    <ul className="tg-list">
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
        <Numbers>
          <span>
            {formatNumber(used)} of {formatNumber(limit)} used
          </span>
          <span>{formatNumber(Math.round(unitsPerHour))} per hour</span>
        </Numbers>
        <FillBar label={`${limitName}, ${apiKey}`} share={limit === 0 ? 1 : used / limit} />
        <Numbers>
          resets in {formatTimeLeft(leftMs)} ({formatInZone(periodEnd, timeZone)})
        </Numbers>
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

/** The billing period of a tenant: totals, busiest times and quotas. */
export function UsageSummary({ tenantKey, timeZone }: { tenantKey: string; timeZone: string }) {
  const { data, error, refetch } = useQuery(usageSummaryQuery(tenantKey));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={190} />;
  const { total, peakDay, peakMinute, periodStart, periodEnd, quotas } = data;
  const day = (at: string) => formatAt(Date.parse(at), timeZone, 'day');
  return (
    <Panel title="This billing period" note="forecast based on the last 24 hours" flush>
      <Figures>
        <Figure
          label="This period"
          value={formatNumber(total.count)}
          unit="decisions"
          note={`${day(periodStart)} – ${day(periodEnd)}`}
        />
        <Figure
          label="Denied"
          value={formatNumber(total.denied)}
          note={total.count === 0 ? undefined : formatShare(total.denied / total.count)}
        />
        <Figure
          label="Busiest day"
          value={peakDay ? formatNumber(peakDay.count) : '–'}
          note={peakDay ? formatAt(Date.parse(peakDay.at), timeZone, 'weekday') : 'none'}
        />
        <Figure
          label="Busiest minute, 24 h"
          value={peakMinute ? formatNumber(peakMinute.count) : '–'}
          note={peakMinute ? formatAt(Date.parse(peakMinute.at), timeZone, 'moment') : 'none'}
        />
      </Figures>
      <QuotaList quotas={quotas} timeZone={timeZone} />
    </Panel>
  );
}

const COUNTER_TEXT = {
  overflow: 'all values beyond the counter budget',
  tenant: 'whole tenant',
} as const;

/** Alert thresholds that limits of a tenant reached. */
export function LimitCrossings({ tenantKey, timeZone }: { tenantKey: string; timeZone: string }) {
  const query = useQuery(limitCrossingsQuery(tenantKey));
  return (
    <Panel title="Limit alerts" note="last 30 days" flush>
      <QueryTable
        query={query}
        list={query.data?.nodes}
        rows={3}
        empty="No alert threshold was reached."
        label="Limit alerts"
        columns={['Limit', 'Counter', numeric('Threshold'), numeric('Used'), 'When']}
      >
        {({ id, apiKey, limitName, counter, percent, used, capacity, at }) => (
          <tr key={id}>
            <th scope="row">
              {limitName} <KeyText c="dimmed">{apiKey}</KeyText>
            </th>
            <td>
              <Caller counter={counter} />
            </td>
            <NumericCell>{percent} %</NumericCell>
            <NumericCell>
              {formatNumber(used)} / {formatNumber(capacity)}
            </NumericCell>
            <td style={{ whiteSpace: 'nowrap' }}>{formatAt(Date.parse(at), timeZone, 'moment')}</td>
          </tr>
        )}
      </QueryTable>
    </Panel>
  );
}

function Caller({ counter }: { counter: string }) {
  const subject = counterSubject(counter);
  if (subject.kind !== 'values') return <span title={counter}>{COUNTER_TEXT[subject.kind]}</span>;
  const names = subject.values.map((value) => value ?? 'hashed value');
  return <KeyText title={counter}>{names.join(' + ')}</KeyText>;
}
