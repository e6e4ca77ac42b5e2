import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../../components/data-table.js';
import { Failure } from '../../../components/failure.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { DECISION_REASON_TEXT } from '../../../lib/labels.js';
import { formatInstant } from '../../../lib/time-format.js';
import { refusalsQuery } from '../api/why.js';
import classes from './explain.module.css';

/** The last refusals of a tenant, each to be explained. */
export function Refusals({ tenantKey, timeZone }: { tenantKey: string; timeZone: string }) {
  const { data, error, refetch } = useQuery(refusalsQuery(tenantKey));
  const columns = [{ name: 'When' }, { name: 'Operation' }, { name: 'Decided by' }, { name: 'Reason' }];
  return (
    <Panel title={`Recently denied requests of ${tenantKey}`} note="sampled; select one to explain it" flush>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={3} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          No recently denied requests.
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label={`Recently denied requests of ${tenantKey}`} columns={columns}>
          {data.map(({ id, requestId, at, apiKey, operation, limitName, reason }) => (
            <tr key={id}>
              <th scope="row">
                <LinkAnchor to="/why" search={{ request: requestId }}>
                  {formatInstant(at, timeZone)}
                </LinkAnchor>
              </th>
              <td>
                {operation} <span className={classes.soft}>{apiKey}</span>
              </td>
              <td>{limitName}</td>
              <td>{DECISION_REASON_TEXT[reason]}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
