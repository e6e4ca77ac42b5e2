import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { NoticesMarkReadDocument, type NoticesQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, pagedQuery, throwUserErrors } from '../../lib/graphql-request.js';
import { sendMutation, useSingleMutation } from '../../lib/mutation.js';
import { subscribe } from '../../lib/streams.js';

const NoticeAddedDocument = graphql(`
  subscription NoticeAdded($tenantKey: String) { noticeAdded(tenantKey: $tenantKey) { id } }
`);

/** Refreshes notices within a second of a new one. Without a stream, polling continues. */
export function useNoticeStream(tenantKey: string | undefined, enabled: boolean): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const next = () => void queryClient.invalidateQueries({ queryKey: NOTICES });
    return subscribe(NoticeAddedDocument, { tenantKey: tenantKey ?? null }, { next });
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

export type NoticeInList = NoticesQuery['notices']['nodes'][number];

/** Fallback for when the stream is interrupted. */
const CHECK_EVERY_MS = 60_000;

const NOTICES = ['notices'] as const;

/** Notices, newest first; of one tenant, or of operators and all tenants. */
export const noticesQuery = (tenantKey?: string) =>
  pagedQuery([...NOTICES, 'list', tenantKey ?? null], NoticesDocument, {
    first: 30,
    tenantKey: tenantKey ?? null,
  });

/** Number of notices the viewer has not read, at most 100. */
export const noticesUnreadQuery = (tenantKey?: string) =>
  queryOptions({
    ...fieldQuery([...NOTICES, 'unread', tenantKey ?? null], NoticesUnreadDocument, {
      tenantKey: tenantKey ?? null,
    }),
    refetchInterval: CHECK_EVERY_MS,
  });

export function useNoticesMarkRead(tenantKey?: string) {
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async (upTo: string) => {
      const payload = await sendMutation(NoticesMarkReadDocument, { upTo, tenantKey: tenantKey ?? null });
      throwUserErrors(payload);
      return payload.unread;
    },
    onSuccess: (unread) => queryClient.setQueryData(noticesUnreadQuery(tenantKey).queryKey, unread),
  });
}
