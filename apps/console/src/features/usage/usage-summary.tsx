import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { Figure, Figures } from '../../components/figures.js';
import { KeyText } from '../../components/marks.js';
import { Failure, Panel } from '../../components/page.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { formatNumber, formatShare } from '../../lib/number-format.js';
import { limitCrossingsQuery, usageSummaryQuery } from './api.js';
import { counterSubject, formatAt } from './usage-lines.js';

/** The billing period of a tenant: totals and busiest times. */
export function UsageSummary({ tenantKey, timeZone }: { tenantKey: string; timeZone: string }) {
  const { data, error, refetch } = useQuery(usageSummaryQuery(tenantKey));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={190} />;
  const { total, peakDay, peakMinute, periodStart, periodEnd } = data;
  const day = (at: string) => formatAt(Date.parse(at), timeZone, 'day');
  return (
    <Panel title="This billing period" flush>
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
  const titleOf = useLimitTitle();
  return (
    <Panel title="Limit alerts" note="Last 30 days" flush>
      <QueryTable
        query={query}
        list={query.data?.nodes}
        rows={3}
        empty="No alert threshold was reached."
        label="Limit alerts"
        columns={[
          'Limit',
          titleOf ? 'Whose usage' : 'Counter',
          numeric('Threshold'),
          numeric('Used'),
          'When',
        ]}
      >
        {({ id, apiKey, limitName, counter, percent, used, capacity, at }) => (
          <tr key={id}>
            <th scope="row">
              {titleOf?.(apiKey, limitName) ?? (
                <>
                  {limitName} <KeyText c="dimmed">{apiKey}</KeyText>
                </>
              )}
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
  const isCustomer = useLimitTitle() !== undefined;
  if (subject.kind === 'tenant' && isCustomer) return 'All of yours';
  if (subject.kind !== 'values') return <span title={counter}>{COUNTER_TEXT[subject.kind]}</span>;
  const names = subject.values.map((value) => value ?? 'hashed value');
  return <KeyText title={counter}>{names.join(' + ')}</KeyText>;
}
