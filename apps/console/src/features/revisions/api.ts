import { queryOptions } from '@tanstack/react-query';
import type { CarryOver, RevisionDiffQuery, RevisionsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, pagedQuery, throwUserErrors } from '../../lib/graphql-request.js';
import { sendMutation } from '../../lib/mutation.js';

const RevisionsDocument = graphql(`
  query Revisions($first: Int!, $after: String, $catalogueOnly: Boolean) {
    revisions(first: $first, after: $after, catalogueOnly: $catalogueOnly) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number cause publishedAt catalogueRevision size tenantCount changeCount
        changes { changeId at actor action entity entityId entityName entityKey tenantKey reason }
      }
    }
  }
`);

export type RevisionInList = RevisionsQuery['revisions']['nodes'][number];

/** Published revisions, newest first; refetched every five seconds. */
export const revisionsQuery = (catalogueOnly: boolean) => ({
  ...pagedQuery(['revisions', { catalogueOnly }], RevisionsDocument, { first: 25, catalogueOnly }),
  refetchInterval: 5_000,
});

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
      subjectRules { name kind from to }
    }
  }
`);

export type RevisionDiff = RevisionDiffQuery['revisionDiff'];
export type Difference = RevisionDiff['tiers'][number]['limits'][number];

/** Differences between two revisions; immutable. */
export const revisionDiffQuery = (from: number, to: number) =>
  queryOptions({
    ...fieldQuery(['revision-diff', from, to], RevisionDiffDocument, { from, to }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const PolicyRollbackDocument = graphql(`
  mutation PolicyRollback($input: PolicyRollbackInput!) {
    policyRollback(input: $input) {
      changeId
      rollback { toRevision tiers apis subjectRules kept }
      impact { tenants increased decreased }
      userErrors { code field message }
    }
  }
`);

/** Effect and impact of a rollback; fails with the user errors. */
export const rollbackTrialQuery = (target: {
  toRevision: number;
  expectedRevision: number;
  carryOver: CarryOver;
  subjectRules: boolean;
}) =>
  queryOptions({
    queryKey: ['revisions', 'rollback-trial', target],
    queryFn: async () => {
      const trial = await sendMutation(PolicyRollbackDocument, { ...target, reason: 'Tried', dryRun: true });
      throwUserErrors(trial);
      return trial;
    },
    retry: false,
    staleTime: 0,
  });
