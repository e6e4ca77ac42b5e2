import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';

const RecentChangesDocument = graphql(`
  query RecentChanges($first: Int!) {
    revisions(first: $first) {
      nodes { number changes { changeId at actor action } }
    }
  }
`);

const REVISIONS = 8;
const SHOWN = 8;

export interface RecentChange {
  changeId: string;
  revision: number;
  at: string;
  actor: string;
  action: string;
}

/** The changes that the newest revisions carried, newest first. */
export const recentChangesQuery = queryOptions({
  queryKey: ['revisions', 'recent-changes'],
  queryFn: async ({ signal }): Promise<RecentChange[]> => {
    const { revisions } = await graphqlRequest(RecentChangesDocument, { first: REVISIONS }, signal);
    return revisions.nodes
      .flatMap(({ number, changes }) => changes.map((change) => ({ ...change, revision: number })))
      .sort((a, b) => b.at.localeCompare(a.at))
      .slice(0, SHOWN);
  },
  refetchInterval: 5_000,
});
