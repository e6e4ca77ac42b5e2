import { IconCloudOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Outage, outageOf } from '../../lib/graphql-request.js';
import classes from './console-shell.module.css';

const PROBE_EVERY_MS = 2_000;

/**
 * Shows during an outage that the console retries; the page keeps its content. After the outage all queries are refetched, and
 * a page that failed to open is opened.
 */
export function ConnectionBanner({ onRecovered }: { onRecovered: () => void }) {
  const outage = useOutage(onRecovered);
  if (outage === undefined) return null;
  return (
    <div role="alert" className={classes.lost}>
      <IconCloudOff size={17} aria-hidden style={{ flex: 'none' }} />
      {outage === 'unreachable'
        ? 'The control plane is unreachable. Nodes keep enforcing their last revision. Retrying…'
        : 'The control plane is temporarily unavailable. Retrying…'}
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
    if (outage === undefined) return;
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
