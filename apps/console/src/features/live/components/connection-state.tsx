import { Button } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { StateDot } from '../../../components/state-dot.js';
import type { LiveConnection } from '../api/live-decisions.js';

interface ConnectionStateProps {
  connection: LiveConnection;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/** Whether what is shown is now, and the button that holds it still. */
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
