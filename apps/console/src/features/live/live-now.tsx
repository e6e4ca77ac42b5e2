import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyText, Panel } from '../../components/page.js';
import { formatNumber, formatPart } from '../../lib/number-format.js';
import {
  type DecisionSeries,
  type DecisionWindow,
  mostDenied,
  seriesOf,
  totalsByApi,
} from './decision-window.js';
import classes from './live.module.css';

const [WIDTH, HEIGHT] = [120, 26];

/** Small chart of allowed decisions over the total. Decorative. */
function Sparkline({ series }: { series: DecisionSeries }) {
  const totals = series.allowed.map((value, i) => value + (series.denied[i] ?? 0));
  const top = Math.max(1, ...totals);
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={areaOf(totals, top)} fill="var(--tg-denied)" opacity="0.55" />
      <path d={areaOf(series.allowed, top)} fill="var(--tg-panel)" />
      <path d={areaOf(series.allowed, top)} fill="var(--tg-allowed)" opacity="0.5" />
    </svg>
  );
}

function areaOf(values: readonly number[], top: number): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(HEIGHT - (value / top) * (HEIGHT - 1)).toFixed(1)}`,
  );
  return `M0,${HEIGHT}L${points.join('L')}L${WIDTH},${HEIGHT}Z`;
}

const SECONDS = 60;

interface LiveProps {
  window: DecisionWindow;
  endSecond: number;
}

/** The first cell of an API's row. */
function ApiHeading({ api }: { api: string }) {
  return (
    <th scope="row">
      <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api }} c="inherit">
        {api}
      </LinkAnchor>
    </th>
  );
}

/** The last minute of each API. */
export function ApisNow({ window, endSecond }: LiveProps) {
  return (
    <Panel title="By API" note="last 60 seconds" flush>
      <DataTable
        short
        label="Decisions by API"
        columns={['API', numeric('Allowed'), numeric('Denied'), numeric('Share'), 'Trend']}
      >
        {totalsByApi(window, endSecond, SECONDS).map(({ api, allowed, denied }) => (
          <tr key={api}>
            <ApiHeading api={api} />
            <NumericCell>{formatNumber(allowed)}</NumericCell>
            <NumericCell>{formatNumber(denied)}</NumericCell>
            <NumericCell>{formatPart(denied, allowed + denied)}</NumericCell>
            <td width="26%">
              <Sparkline series={seriesOf(window, { api, endSecond, seconds: SECONDS })} />
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

const MOST_DENIED = 8;

/** The tenants with the most denied requests in the last minute. */
export function DeniedTenants({ window, endSecond }: LiveProps) {
  const tenants = mostDenied(window, endSecond).slice(0, MOST_DENIED);
  const top = tenants[0]?.denied ?? 1;
  return (
    <Panel title="Most denied" note="tenants, last 60 seconds" flush>
      {tenants.length === 0 && <EmptyText>No denied requests.</EmptyText>}
      {tenants.length > 0 && (
        <ol className="tg-list" style={{ paddingBlock: 4 }}>
          {tenants.map(({ tenant, denied }) => (
            <li key={tenant} className={classes.rank}>
              <LinkAnchor
                to="/tenants/$tenantKey"
                params={{ tenantKey: tenant }}
                c="inherit"
                fw={500}
                truncate
              >
                {tenant}
              </LinkAnchor>
              <span className="tg-number">
                <LinkAnchor
                  to="/why"
                  search={{ q: tenant }}
                  c="dimmed"
                  mr={4}
                  aria-label={`Why ${tenant} is denied`}
                >
                  Why?
                </LinkAnchor>
                {formatNumber(denied)}
              </span>
              <span className={classes.track} aria-hidden="true">
                <span className={classes.bar} style={{ width: `${Math.max(2, (denied / top) * 100)}%` }} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
