import { Button, Group, Text } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled, IconWaveSine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CopyBlock } from '../../components/copy.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { StateDot } from '../../components/marks.js';
import { EmptyState, Panel } from '../../components/page.js';
import { type LiveConnection, liveExampleQuery } from './api.js';

interface ConnectionStateProps {
  connection: LiveConnection;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/** Connection state of the live view and its pause button. */
export function ConnectionState({ connection, paused, onPause }: ConnectionStateProps) {
  const Icon = paused ? IconPlayerPlayFilled : IconPlayerPauseFilled;
  const { tone, text } = paused ? { tone: 'warn' as const, text: 'Paused' } : CONNECTIONS[connection];
  return (
    <>
      <span role="status" style={{ fontSize: '0.8125rem' }}>
        <StateDot tone={tone} pulse={tone === 'good'}>
          {text}
        </StateDot>
      </span>
      <Button variant="default" onClick={() => onPause(!paused)} leftSection={<Icon size={13} aria-hidden />}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </>
  );
}

const CONNECTIONS = {
  open: { tone: 'good', text: 'Live' },
  connecting: { tone: 'quiet', text: 'Connecting…' },
  waiting: { tone: 'bad', text: 'Connection lost. Reconnecting…' },
} as const;

/** Shows how to send a first request, or what is missing for one. */
export function NoTraffic() {
  const { data: example } = useQuery(liveExampleQuery);
  const isComplete = example?.tenant && example.operation;
  return (
    <Panel>
      <EmptyState
        icon={IconWaveSine}
        title="No recent decisions"
        action={example && (isComplete ? <FirstRequest example={example} /> : <Missing example={example} />)}
      >
        Decisions appear here as services request them. {isComplete && 'Run this a few times:'}
        {example && !isComplete && 'A request needs an API with an operation, and a tenant.'}
      </EmptyState>
    </Panel>
  );
}

interface ExampleProps {
  example: { tenant: string | undefined; api: string | undefined; operation: string | undefined };
}

function FirstRequest({ example }: ExampleProps) {
  const command = [
    'curl -s "$TOLLGATE_URL/v1/limit" \\',
    '  -H "Authorization: Bearer $TOLLGATE_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(example)}'`,
  ].join('\n');
  return (
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
  );
}

function Missing({ example: { tenant, api, operation } }: ExampleProps) {
  return (
    <Group gap="xs" justify="center">
      {api === undefined && <LinkButton to="/apis">Add an API</LinkButton>}
      {api !== undefined && operation === undefined && (
        <LinkButton to="/apis/$apiKey" params={{ apiKey: api }}>
          Add an operation
        </LinkButton>
      )}
      {tenant === undefined && (
        <LinkButton to="/tenants" variant={operation === undefined ? 'default' : 'filled'}>
          Add a tenant
        </LinkButton>
      )}
    </Group>
  );
}
