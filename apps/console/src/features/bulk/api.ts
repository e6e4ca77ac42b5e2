import { queryOptions } from '@tanstack/react-query';
import type { BulkActionsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

export { BulkActionCancelDocument, BulkActionUndoDocument } from '../../generated/graphql.js';

const BulkActionsDocument = graphql(`
  query BulkActions {
    bulkActions(first: 5) {
      nodes {
        id kind status input reason startedBy createdAt finishedAt revertedById stoppedBecause
        progress { total pending done failed canceled }
      }
    }
  }
`);

const BulkFailuresDocument = graphql(`
  query BulkFailures($id: ID!) {
    bulkAction(id: $id) { id items(first: 100, status: FAILED) { nodes { tenantKey error } } }
  }
`);

export const BulkActionStartDocument = graphql(`
  mutation BulkActionStart($input: BulkActionStartInput!) {
    bulkActionStart(input: $input) {
      tenants tried refusals { tenantKey message }
      impact { tenants increased decreased }
      bulkAction { id }
      userErrors { code field message }
    }
  }
`);

export type BulkActionInList = BulkActionsQuery['bulkActions']['nodes'][number];

const isRunning = ({ status }: BulkActionInList) => status === 'QUEUED' || status === 'RUNNING';

/** The latest bulk actions; refetched every second while one runs. */
export const bulkActionsQuery = queryOptions({
  queryKey: ['bulk-actions'],
  queryFn: async ({ signal }) => (await graphqlRequest(BulkActionsDocument, {}, signal)).bulkActions.nodes,
  refetchInterval: ({ state }) => (state.data?.some(isRunning) ? 1_000 : 30_000),
});

/** Tenants for which an action failed, with the error. */
export const bulkFailuresQuery = (id: string) =>
  queryOptions({
    queryKey: ['bulk-actions', id, 'failures'],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(BulkFailuresDocument, { id }, signal)).bulkAction?.items.nodes ?? [],
  });
