import { queryOptions } from '@tanstack/react-query';
import type { RevisionDiffQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const RevisionDiffDocument = graphql(`
  query RevisionDiff($from: Int!, $to: Int!) {
    revisionDiff(from: $from, to: $to) {
      from to
      tiers { key kind fromVersion toVersion fromWeight toWeight limits { name kind from to } }
      apis {
        key kind fromUnknownOperations toUnknownOperations
        operations { name kind from to }
        pools { name kind from to }
      }
    }
  }
`);

export type RevisionDiff = RevisionDiffQuery['revisionDiff'];
export type Difference = RevisionDiff['tiers'][number]['limits'][number];

/** What differs between two revisions; it never changes. */
export const revisionDiffQuery = (from: number, to: number) =>
  queryOptions({
    queryKey: ['revision-diff', from, to],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(RevisionDiffDocument, { from, to }, signal)).revisionDiff,
    staleTime: Number.POSITIVE_INFINITY,
  });
