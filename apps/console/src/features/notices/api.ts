import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { NoticesQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';

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
    // Loads the client after the first render: notices are not urgent.
    void import('graphql-sse').then(({ createClient }) => {
      if (stopped) return;
      const client = createClient({ url: '/graphql/stream', retryAttempts: Number.POSITIVE_INFINITY });
      const unsubscribe = client.subscribe(
        { query: SUBSCRIPTION, variables: { tenantKey: tenantKey ?? null } },
        {
          next: () => void queryClient.invalidateQueries({ queryKey: NOTICES }),
          // Rejected: polling continues.
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

const NoticesDocument = graphql(`
  query Notices($first: Int!, $after: String, $tenantKey: String) {
    notices(first: $first, after: $after, tenantKey: $tenantKey) {
      pageInfo { hasNextPage endCursor }
      nodes { id kind severity title data tenantKey createdAt }
    }
  }
`);

const NoticesUnreadDocument = graphql(`
  query NoticesUnread($tenantKey: String) { noticesUnread(tenantKey: $tenantKey) }
`);

const NoticesMarkReadDocument = graphql(`
  mutation NoticesMarkRead($input: NoticesMarkReadInput!) {
    noticesMarkRead(input: $input) { unread userErrors { code field message } }
  }
`);

export type NoticeInList = NoticesQuery['notices']['nodes'][number];

const PAGE_SIZE = 30;
/** Fallback for when the stream is interrupted. */
const CHECK_EVERY_MS = 60_000;

export const NOTICES = ['notices'] as const;

/** Notices, newest first; of one tenant, or of operators and all tenants. */
export const noticesQuery = (tenantKey?: string) =>
  infiniteQueryOptions({
    queryKey: [...NOTICES, 'list', tenantKey ?? null],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { first: PAGE_SIZE, after: pageParam, tenantKey: tenantKey ?? null };
      return (await graphqlRequest(NoticesDocument, variables, signal)).notices;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
  });

/** How many the viewer has not read, 100 at most. */
export const noticesUnreadQuery = (tenantKey?: string) =>
  queryOptions({
    queryKey: [...NOTICES, 'unread', tenantKey ?? null],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(NoticesUnreadDocument, { tenantKey: tenantKey ?? null }, signal)).noticesUnread,
    refetchInterval: CHECK_EVERY_MS,
  });

/** Marks everything up to a notice as read. */
export function useNoticesMarkRead(tenantKey?: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (upTo: string) => {
      const input = { upTo, tenantKey: tenantKey ?? null };
      const { noticesMarkRead } = await graphqlRequest(NoticesMarkReadDocument, { input });
      throwUserErrors(noticesMarkRead);
      return noticesMarkRead.unread;
    },
    onSuccess: (unread) => queryClient.setQueryData(noticesUnreadQuery(tenantKey).queryKey, unread),
  });
}
