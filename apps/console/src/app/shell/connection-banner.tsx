import { IconCloudOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { RequestError } from '../../lib/graphql-request.js';
import classes from './console-shell.module.css';

const PROBE_EVERY_MS = 2_000;

/** Says while the control plane cannot be reached that what is shown may be old; when it is back, everything is asked anew. */
export function ConnectionBanner() {
  const t = useTranslations('shell');
  const lost = useConnectionLost();
  if (!lost) return null;
  return (
    <div role="alert" className={classes.lost}>
      <IconCloudOff size={17} aria-hidden style={{ flex: 'none' }} />
      {t('connectionLost')}
    </div>
  );
}

function useConnectionLost(): boolean {
  const queryClient = useQueryClient();
  const [lost, setLost] = useState(false);
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(({ query }) => {
        const { fetchFailureReason: reason } = query.state;
        if (reason instanceof RequestError && reason.code === 'NETWORK') setLost(true);
      }),
    [queryClient],
  );
  useEffect(() => {
    if (!lost) return;
    const probe = async () => {
      const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined);
      if (!answer?.ok) return;
      setLost(false);
      await queryClient.invalidateQueries();
    };
    const timer = setInterval(() => void probe(), PROBE_EVERY_MS);
    return () => clearInterval(timer);
  }, [lost, queryClient]);
  return lost;
}
