import type { SubjectRulesQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { pagedQuery } from '../../lib/graphql-request.js';

export { SubjectRuleRemoveDocument, SubjectRuleSetDocument } from '../../generated/graphql.js';

const SubjectRulesDocument = graphql(`
  query SubjectRules($tenantKey: String!, $live: Boolean!, $search: String, $first: Int!, $after: String) {
    subjectRules(tenantKey: $tenantKey, live: $live, search: $search, first: $first, after: $after) {
      totalCount
      nodes {
        id dimension pattern apiKey limit status reason startsAt endsAt createdBy createdAt managedBy
        effect { kind limit percent message }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type SubjectRuleInList = SubjectRulesQuery['subjectRules']['nodes'][number];

export interface SubjectRulesFilter {
  tenantKey: string;
  /** Only active and scheduled rules. */
  live: boolean;
  search: string;
}

export const subjectRulesKey = ['subject-rules'] as const;

/** Rules for subjects of a tenant, newest first. */
export const subjectRulesQuery = ({ tenantKey, live, search }: SubjectRulesFilter) =>
  pagedQuery([...subjectRulesKey, tenantKey, live, search], SubjectRulesDocument, {
    ...{ tenantKey, live, first: 50 },
    search: search || null,
  });
