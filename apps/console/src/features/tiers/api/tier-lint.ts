import { queryOptions } from '@tanstack/react-query';
import type { TierLintQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { tiersQuery } from './tiers.js';

const TierLintDocument = graphql(`
  query TierLint($tierKey: String!, $version: Int) {
    tierLint(tierKey: $tierKey, version: $version) { severity code message advice path }
  }
`);

export type LintFinding = NonNullable<TierLintQuery['tierLint']>[number];

/** What is wrong or doubtful in one version of a tier. */
export const tierLintQuery = (tierKey: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, tierKey, 'lint', version ?? null],
    queryFn: async ({ signal }) => {
      const { tierLint } = await graphqlRequest(
        TierLintDocument,
        { tierKey, version: version ?? null },
        signal,
      );
      return tierLint ?? [];
    },
    enabled: version !== undefined,
  });
