import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { NOTICES } from './notices.js';

const SUBSCRIPTION = `subscription NoticeAdded($tenantKey: String) {
  noticeAdded(tenantKey: $tenantKey) { id }
}`;

/** Refreshes notices within a second of a new one, by the server's stream; cut off, it is opened again. */
export function useNoticeStream(tenantKey: string | undefined, enabled: boolean): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    let stopped = false;
    let dispose: (() => void) | undefined;
    // Its client is fetched after the page has drawn itself: nobody waits for notices.
    void import('graphql-sse').then(({ createClient }) => {
      if (stopped) return;
      const client = createClient({ url: '/graphql/stream', retryAttempts: Number.POSITIVE_INFINITY });
      const unsubscribe = client.subscribe(
        { query: SUBSCRIPTION, variables: { tenantKey: tenantKey ?? null } },
        {
          next: () => void queryClient.invalidateQueries({ queryKey: NOTICES }),
          // Refused for good: the slower way of asking now and then goes on.
          error: () => undefined,
          complete: () => undefined,
        },
      );
      dispose = () => {
        unsubscribe();
        client.dispose();
      };
    });
    return () => {
      stopped = true;
      dispose?.();
    };
  }, [queryClient, tenantKey, enabled]);
}
