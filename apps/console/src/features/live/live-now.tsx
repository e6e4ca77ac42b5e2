import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { Panel, RowsSkeleton } from '../../components/page.js';
import { formatNumber, formatPerSecond, formatShare } from '../../lib/number-format.js';
import {
  type DecisionSeries,
  type DecisionWindow,
  type DeniedTenant,
  mostDenied,
  seriesOf,
  totalsByApi,
} from './decision-window.js';
import classes from './live.module.css';

const [WIDTH, HEIGHT] = [120, 26];

/** Small chart of allowed decisions over the total. Decorative. */
export function Sparkline({ series }: { series: DecisionSeries }) {
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

interface DeniedRanksProps {
  /** Highest count first: it scales the bars. */
  tenants: readonly DeniedTenant[];
  /** Before a tenant's number: another way on. */
  aside?: (tenant: string) => ReactNode;
}

/** Tenants by how often they were denied; each leads to its page. */
export function DeniedRanks({ tenants, aside }: DeniedRanksProps) {
  const top = tenants[0]?.denied ?? 1;
  return (
    <ol className={classes.ranks}>
      {tenants.map(({ tenant, denied }) => (
        <li key={tenant} className={classes.rank}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: tenant }} c="inherit" fw={500} truncate>
            {tenant}
          </LinkAnchor>
          <span className="tg-number">
            {aside?.(tenant)}
            {formatNumber(denied)}
          </span>
          <span className={classes.track} aria-hidden="true">
            <span className={classes.bar} style={{ width: `${Math.max(2, (denied / top) * 100)}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}

const SECONDS = 60;
const NOW_SECONDS = 10;

interface ApiRatesProps {
  window: DecisionWindow;
  endSecond: number;
  connecting: boolean;
}

/** Decisions per second by API, with the last minute. */
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
          {minute.map(({ api, allowed, denied }) => {
            const last = now.get(api);
            const total = allowed + denied;
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
                  {formatPerSecond(((last?.allowed ?? 0) + (last?.denied ?? 0)) / NOW_SECONDS)}
                </NumericCell>
                <NumericCell>{total === 0 ? '–' : formatShare(denied / total)}</NumericCell>
              </tr>
            );
          })}
        </DataTable>
      )}
    </Panel>
  );
}

const SHOWN = 6;

interface LimitedNowProps {
  window: DecisionWindow;
  endSecond: number;
  connecting: boolean;
}

/** Who is denied right now, most first; each leads to the tenant. */
export function LimitedNow({ window, endSecond, connecting }: LimitedNowProps) {
  const tenants = mostDenied(window, endSecond).slice(0, SHOWN);
  return (
    <Panel title="Rate limited now" note="denied in the last minute" flush>
      {connecting && <RowsSkeleton rows={4} />}
      {!connecting && tenants.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          No denied requests.
        </Text>
      )}
      {tenants.length > 0 && <DeniedRanks tenants={tenants} />}
    </Panel>
  );
}
