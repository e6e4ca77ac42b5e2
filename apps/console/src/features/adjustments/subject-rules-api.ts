import type { SubjectEffectKind, SubjectRulesQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { pagedQuery } from '../../lib/graphql-request.js';

export { SubjectRuleRemoveDocument, SubjectRuleSetDocument } from '../../generated/graphql.js';

const SubjectRulesDocument = graphql(`
  query SubjectRules(
    $tenantKey: String, $live: Boolean!, $kind: SubjectEffectKind, $search: String, $first: Int!, $after: String
  ) {
    subjectRules(
      tenantKey: $tenantKey, live: $live, kind: $kind, search: $search, first: $first, after: $after
    ) {
      totalCount
      nodes {
        id dimension pattern apiKey limit status reason startsAt endsAt createdBy createdAt removedBy removedAt managedBy
        effect { kind limit percent message }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type SubjectRuleInList = SubjectRulesQuery['subjectRules']['nodes'][number];

export interface SubjectRulesFilter {
  /** Null: rules for all tenants. */
  tenantKey: string | null;
  /** Only active and scheduled rules. */
  live: boolean;
  /** Null: any effect. */
  kind: SubjectEffectKind | null;
  search: string;
}

export const subjectRulesKey = ['subject-rules'] as const;

/** Rules for subjects of a tenant, or of all tenants, newest first. */
export const subjectRulesQuery = ({ tenantKey, live, kind, search }: SubjectRulesFilter) =>
  pagedQuery([...subjectRulesKey, tenantKey, live, kind, search], SubjectRulesDocument, {
    ...{ tenantKey, live, kind, first: 50 },
    search: search || null,
  });
