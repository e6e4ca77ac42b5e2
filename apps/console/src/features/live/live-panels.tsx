import { Button, Text } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled, IconWaveSine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CopyBlock } from '../../components/copy.js';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { StateDot } from '../../components/marks.js';
import { EmptyState, Panel } from '../../components/page.js';
import { formatNumber, formatShare } from '../../lib/number-format.js';
import { type LiveConnection, liveExampleQuery } from './api.js';
import { type DecisionWindow, mostDenied, seriesOf, totalsByApi } from './decision-window.js';
import { DeniedRanks, Sparkline } from './live-now.js';

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
        {totalsByApi(window, endSecond, SECONDS).map(({ api, allowed, denied }) => (
          <tr key={api}>
            <th scope="row">
              <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api }} c="inherit">
                {api}
              </LinkAnchor>
            </th>
            <NumericCell>{formatNumber(allowed)}</NumericCell>
            <NumericCell>{formatNumber(denied)}</NumericCell>
            <NumericCell>
              {allowed + denied === 0 ? '–' : formatShare(denied / (allowed + denied))}
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

interface ConnectionStateProps {
  connection: LiveConnection;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/** Connection state of the live view and its pause button. */
export function ConnectionState({ connection, paused, onPause }: ConnectionStateProps) {
  return (
    <>
      <span role="status" style={{ fontSize: '0.8125rem' }}>
        {paused ? <StateDot tone="warn">Paused</StateDot> : <Connection connection={connection} />}
      </span>
      <Button
        variant="default"
        onClick={() => onPause(!paused)}
        leftSection={
          paused ? (
            <IconPlayerPlayFilled size={13} aria-hidden />
          ) : (
            <IconPlayerPauseFilled size={13} aria-hidden />
          )
        }
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </>
  );
}

function Connection({ connection }: { connection: LiveConnection }) {
  switch (connection) {
    case 'open':
      return (
        <StateDot tone="good" pulse>
          Live
        </StateDot>
      );
    case 'connecting':
      return <StateDot tone="quiet">Connecting…</StateDot>;
    case 'waiting':
      return <StateDot tone="bad">Connection lost. Reconnecting…</StateDot>;
  }
}

/** Before the first decision: how to make one. */
export function NoTraffic() {
  const { data: example } = useQuery(liveExampleQuery);
  const body = JSON.stringify(example ?? { tenant: 'acme', api: 'url-shortener', operation: 'createURL' });
  const command = [
    'curl -s "$TOLLGATE_URL/v1/limit" \\',
    '  -H "Authorization: Bearer $TOLLGATE_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n');
  return (
    <Panel>
      <EmptyState
        icon={<IconWaveSine size={32} stroke={1.4} color="var(--tg-allowed)" aria-hidden />}
        title="No recent decisions"
        action={
          <div style={{ width: 'min(620px, 78vw)' }}>
            <CopyBlock text={command} label="Copy command" />
            <Text size="sm" c="dimmed" mt="xs">
              <code>TOLLGATE_URL</code> is the address of the decision API, printed at start. Create a{' '}
              <code>TOLLGATE_TOKEN</code> under{' '}
              <LinkAnchor to="/service-tokens" underline="always">
                Service tokens
              </LinkAnchor>
              .
            </Text>
          </div>
        }
      >
        Decisions appear here as services request them. Run this a few times:
      </EmptyState>
    </Panel>
  );
}

const SHOWN = 8;

/** The tenants that were denied most in the last minute; each leads to its page. */
export function MostDenied({ window, endSecond }: { window: DecisionWindow; endSecond: number }) {
  const tenants = mostDenied(window, endSecond).slice(0, SHOWN);
  return (
    <Panel title="Most denied" note="tenants, last 60 seconds" flush>
      {tenants.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          No denied requests.
        </Text>
      ) : (
        <DeniedRanks tenants={tenants} aside={(tenant) => <WhyLink tenant={tenant} />} />
      )}
    </Panel>
  );
}

function WhyLink({ tenant }: { tenant: string }) {
  return (
    <>
      <LinkAnchor to="/why" search={{ q: tenant }} c="dimmed" aria-label={`Why ${tenant} is denied`}>
        Why?
      </LinkAnchor>{' '}
    </>
  );
}
