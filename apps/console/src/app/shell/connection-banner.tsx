import { Button } from '@mantine/core';
import { IconCloudOff, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Outage, outageOf } from '../../lib/graphql-request.js';
import classes from './console-shell.module.css';

const PROBE_EVERY_MS = 2_000;

const TEXTS: Readonly<Record<Outage, string>> = {
  unreachable: 'The control plane is unreachable. Nodes keep enforcing their last revision. Retrying…',
  unavailable: 'The control plane is temporarily unavailable. Retrying…',
  outdated: 'Tollgate was updated. Reload to open this page.',
};

/**
 * Shows during an outage that the console retries; the page keeps its content. After the outage all queries are refetched, and
 * a page that failed to open is opened. After an update of the control plane it offers to reload.
 */
export function ConnectionBanner({ onRecovered }: { onRecovered: () => void }) {
  const outage = useOutage(onRecovered);
  if (outage === undefined) return null;
  const Icon = outage === 'outdated' ? IconRefresh : IconCloudOff;
  return (
    <div role="alert" className={classes.lost}>
      <Icon size={17} aria-hidden style={{ flex: 'none' }} />
      {TEXTS[outage]}
      {outage === 'outdated' && <Button onClick={() => window.location.reload()}>Reload</Button>}
    </div>
  );
}

function useOutage(onRecovered: () => void): Outage | undefined {
  const queryClient = useQueryClient();
  const [outage, setOutage] = useState<Outage>();
  useEffect(() => {
    // Reacts to failures as they happen: an inactive query keeps its last error.
    const notice = (event: { type: string; action?: { type: string; error?: unknown } }) => {
      const { type, error } = event.action ?? {};
      if (type === 'failed' || type === 'error') setOutage((known) => outageOf(error) ?? known);
    };
    const stops = [
      queryClient.getQueryCache().subscribe(notice),
      queryClient.getMutationCache().subscribe(notice),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [queryClient]);
  useEffect(() => {
    if (outage === undefined || outage === 'outdated') return;
    const probe = async () => {
      const current = await findOutage();
      setOutage(current);
      if (current !== undefined) return;
      await queryClient.invalidateQueries();
      onRecovered();
    };
    const timer = setInterval(() => void probe(), PROBE_EVERY_MS);
    return () => clearInterval(timer);
  }, [outage, queryClient, onRecovered]);
  return outage;
}

async function findOutage(): Promise<Outage | undefined> {
  const answer = await fetch('/readyz', { cache: 'no-store' }).catch(() => undefined);
  const body = (await answer?.json().catch(() => undefined)) as
    | { checks?: { postgres?: boolean } }
    | undefined;
  if (body?.checks === undefined) return 'unreachable';
  return body.checks.postgres === true ? undefined : 'unavailable';
}
