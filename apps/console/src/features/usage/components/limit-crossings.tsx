import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { KeyText } from '../../../components/marks.js';
import { Failure, Panel, RowsSkeleton } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import { limitCrossingsQuery } from '../api/limit-crossings.js';
import { counterSubject } from '../counter-subject.js';
import { formatAt } from '../usage-time.js';

const COUNTER_TEXT = {
  overflow: 'all values beyond the counter budget',
  tenant: 'whole tenant',
} as const;

/** When limits of a tenant came near their end, or reached it. */
export function LimitCrossings({ tenantKey, timeZone }: { tenantKey: string; timeZone: string }) {
  const { data, error, refetch } = useQuery(limitCrossingsQuery(tenantKey));
  const columns = [
    { name: 'Limit' },
    { name: 'Counter' },
    { name: 'Threshold', numeric: true },
    { name: 'Used', numeric: true },
    { name: 'When' },
  ];
  return (
    <Panel title="Limit alerts" note="last 30 days" flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {data?.nodes.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          No alert threshold was reached.
        </Text>
      )}
      {data && data.nodes.length > 0 && (
        <DataTable label="Limit alerts" columns={columns}>
          {data.nodes.map(({ id, apiKey, limitName, counter, percent, used, capacity, at }) => (
            <tr key={id}>
              <th scope="row">
                {limitName} <KeyText c="dimmed">{apiKey}</KeyText>
              </th>
              <td>
                <Whom counter={counter} />
              </td>
              <NumericCell>{percent} %</NumericCell>
              <NumericCell>
                {formatNumber(used)} / {formatNumber(capacity)}
              </NumericCell>
              <td style={{ whiteSpace: 'nowrap' }}>{formatAt(Date.parse(at), timeZone, 'moment')}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}

function Whom({ counter }: { counter: string }) {
  const subject = counterSubject(counter);
  if (subject.kind !== 'values') return <span title={counter}>{COUNTER_TEXT[subject.kind]}</span>;
  const names = subject.values.map((value) => value ?? 'hashed value');
  return <KeyText title={counter}>{names.join(' + ')}</KeyText>;
}
