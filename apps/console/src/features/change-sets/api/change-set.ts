import { queryOptions } from '@tanstack/react-query';
import type { ChangeSetQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const ChangeSetDocument = graphql(`
  query ChangeSet($id: ID!) {
    changeSet(id: $id) {
      id title description status version author createdAt reviewedBy reviewedAt note
      scheduledAt appliedAt appliedBy changeId revertsId
      items { id command input }
      diff {
        stale
        entries { item action entity entityId tenantKey fields { path before after } }
        errors { code field message }
        impact { ...ImpactFields }
      }
    }
  }
`);

export type ChangeSetDetail = NonNullable<ChangeSetQuery['changeSet']>;
export type DiffEntry = ChangeSetDetail['diff']['entries'][number];

/** One change set with what it would do now; null when there is none. */
export const changeSetQuery = (id: string) =>
  queryOptions({
    queryKey: ['change-sets', 'one', id],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(ChangeSetDocument, { id }, signal)).changeSet ?? null,
  });
