import { Text } from '@mantine/core';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { formatPerSecond, formatShare } from '../../../lib/number-format.js';
import { type DecisionWindow, seriesOf, totalsByApi } from '../decision-window.js';
import { Sparkline } from './sparkline.js';

const SECONDS = 60;
const NOW_SECONDS = 10;

interface ApiRatesProps {
  window: DecisionWindow;
  endSecond: number;
  connecting: boolean;
}

/** What each API decides a second, with its last minute. */
export function ApiRates({ window, endSecond, connecting }: ApiRatesProps) {
  const minute = totalsByApi(window, endSecond, SECONDS);
  const now = new Map(totalsByApi(window, endSecond, NOW_SECONDS).map((total) => [total.api, total]));
  const columns = [
    { name: 'API' },
    { name: 'Trend' },
    { name: 'Per second', numeric: true },
    { name: 'Denied', numeric: true },
  ];
  return (
    <Panel
      title="Decisions per second"
      note="last minute, by API"
      actions={
        <LinkAnchor to="/live" size="sm">
          Open live view
        </LinkAnchor>
      }
      flush
    >
      {connecting && <RowsSkeleton rows={4} />}
      {!connecting && minute.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          No traffic yet. The live view shows how to send a request.
        </Text>
      )}
      {minute.length > 0 && (
        <DataTable short label="Decisions per second" columns={columns}>
          {minute.map(({ api, allowed, refused }) => {
            const last = now.get(api);
            const total = allowed + refused;
            return (
              <tr key={api}>
                <th scope="row">
                  <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api }} c="inherit">
                    {api}
                  </LinkAnchor>
                </th>
                <td width="46%">
                  <Sparkline series={seriesOf(window, { api, endSecond, seconds: SECONDS })} />
                </td>
                <NumericCell>
                  {formatPerSecond(((last?.allowed ?? 0) + (last?.refused ?? 0)) / NOW_SECONDS)}
                </NumericCell>
                <NumericCell>{total === 0 ? '–' : formatShare(refused / total)}</NumericCell>
              </tr>
            );
          })}
        </DataTable>
      )}
    </Panel>
  );
}
