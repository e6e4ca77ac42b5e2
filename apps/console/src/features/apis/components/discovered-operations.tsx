import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { KeyText } from '../../../components/key-text.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { type DiscoveredOperation, discoveredOperationsQuery } from '../api/discovered-operations.js';

interface DiscoveredOperationsProps {
  /** Left out: of all APIs. */
  apiKey?: string;
  /** What to do about one. */
  action: (found: DiscoveredOperation) => ReactNode;
}

/** What services ask for and nothing limits yet; nothing where there is none. */
export function DiscoveredOperations({ apiKey, action }: DiscoveredOperationsProps) {
  const { data = [] } = useQuery(discoveredOperationsQuery(apiKey ?? null));
  if (data.length === 0) return null;
  return (
    <Panel title="Discovered operations without limits" note="Requested in the last 7 days." flush>
      <DataTable
        label="Discovered operations without limits"
        columns={[
          { name: 'Operation' },
          { name: 'Status' },
          { name: 'Decisions', numeric: true },
          { name: 'Tenants', numeric: true },
          { name: 'Last seen (hour)' },
          { name: 'Actions', hidden: true },
        ]}
      >
        {data.map((found) => (
          <tr key={`${found.apiKey} ${found.operation}`}>
            <th scope="row">
              {apiKey === undefined && <ApiName found={found} />}
              <KeyText>{found.operation}</KeyText>
            </th>
            <td>
              <Badge color={found.known ? 'gray' : 'ochre'}>{stateOf(found)}</Badge>
            </td>
            <NumericCell>{formatNumber(found.count)}</NumericCell>
            <NumericCell>{formatNumber(found.tenants)}</NumericCell>
            <td>
              <time dateTime={found.lastHour} title={formatMoment(found.lastHour)}>
                {formatAgo(found.lastHour)}
              </time>
            </td>
            <td style={{ width: 1, whiteSpace: 'nowrap', paddingBlock: 4 }}>{action(found)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

function ApiName({ found: { apiKey, apiKnown } }: { found: DiscoveredOperation }) {
  return (
    <>
      {apiKnown ? (
        <LinkAnchor to="/apis/$apiKey" params={{ apiKey }} c="inherit">
          {apiKey}
        </LinkAnchor>
      ) : (
        <KeyText>{apiKey}</KeyText>
      )}
      {' / '}
    </>
  );
}

function stateOf({ apiKnown, known }: DiscoveredOperation): string {
  if (!apiKnown) return 'API not registered';
  return known ? 'no limit' : 'not registered';
}
