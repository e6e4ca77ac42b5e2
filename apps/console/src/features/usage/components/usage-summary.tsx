import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Figure, Figures } from '../../../components/figures.js';
import { Failure, Panel } from '../../../components/page.js';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
import { usageSummaryQuery } from '../api/usage-summary.js';
import { formatAt } from '../usage-time.js';
import { QuotaList } from './quota-list.js';

/** Where a tenant stands: its billing period, its busiest times, and its quotas with when they run out. */
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
          unit={'Decisions'.toLowerCase()}
          note={`${day(periodStart)} – ${day(periodEnd)}`}
        />
        <Figure
          label="Denied"
          value={formatNumber(total.refused)}
          note={total.count === 0 ? undefined : formatShare(total.refused / total.count)}
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
