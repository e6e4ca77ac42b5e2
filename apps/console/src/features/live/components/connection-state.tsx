import { Button } from '@mantine/core';
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { StateDot } from '../../../components/state-dot.js';
import type { LiveConnection } from '../api/live-decisions.js';

interface ConnectionStateProps {
  connection: LiveConnection;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/** Whether what is shown is now, and the button that holds it still. */
export function ConnectionState({ connection, paused, onPause }: ConnectionStateProps) {
  const t = useTranslations('live.connectionState');
  return (
    <>
      <span role="status" style={{ fontSize: '0.8125rem' }}>
        {paused ? <StateDot tone="warn">{t('paused')}</StateDot> : <Connection connection={connection} />}
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
        {paused ? t('resume') : t('pause')}
      </Button>
    </>
  );
}

function Connection({ connection }: { connection: LiveConnection }) {
  const t = useTranslations('live.connectionState');
  switch (connection) {
    case 'open':
      return (
        <StateDot tone="good" pulse>
          {t('live')}
        </StateDot>
      );
    case 'connecting':
      return <StateDot tone="quiet">{t('connecting')}</StateDot>;
    case 'waiting':
      return <StateDot tone="bad">{t('connectionLostTryingAgain')}</StateDot>;
  }
}
