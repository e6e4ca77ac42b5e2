import { DataTable, NumericCell } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { formatNumber, formatShare } from '../../../lib/number-format.js';
import { type DecisionWindow, seriesOf, totalsByApi } from '../decision-window.js';
import { Sparkline } from './sparkline.js';

const SECONDS = 60;

/** Each API's last minute in one line. */
export function ApisNow({ window, endSecond }: { window: DecisionWindow; endSecond: number }) {
  return (
    <Panel title="By API" note="last 60 seconds" flush>
      <DataTable
        short
        label="Decisions by API"
        columns={[
          { name: 'API' },
          { name: 'Allowed', numeric: true },
          { name: 'Denied', numeric: true },
          { name: 'Share', numeric: true },
          { name: 'Trend' },
        ]}
      >
        {totalsByApi(window, endSecond, SECONDS).map(({ api, allowed, refused }) => (
          <tr key={api}>
            <th scope="row">
              <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api }} c="inherit">
                {api}
              </LinkAnchor>
            </th>
            <NumericCell>{formatNumber(allowed)}</NumericCell>
            <NumericCell>{formatNumber(refused)}</NumericCell>
            <NumericCell>
              {allowed + refused === 0 ? '–' : formatShare(refused / (allowed + refused))}
            </NumericCell>
            <td width="26%">
              <Sparkline series={seriesOf(window, { api, endSecond, seconds: SECONDS })} />
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
