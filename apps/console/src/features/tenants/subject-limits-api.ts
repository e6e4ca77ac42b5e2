import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { readLimit } from '../../lib/limit-fields.js';

const SubjectLimitsDocument = graphql(`
  query SubjectLimits($tenantKey: String!, $subject: [DecisionSubjectInput!]!) {
    subjectLimits(tenantKey: $tenantKey, subject: $subject) {
      access
      rule { id dimension pattern reason tenant { id } }
      effective {
        source tierLimit clamped
        provenance { source adjustmentId label from to until }
        limit { ...LimitFields }
      }
    }
  }
`);

export interface SubjectValue {
  dimension: string;
  value: string;
}

export type SubjectLimitDetail = Awaited<ReturnType<typeof readSubjectLimits>>[number];

/** A tenant's limits for one value of a dimension. */
export const subjectLimitsQuery = (tenantKey: string, subject: SubjectValue) =>
  queryOptions({
    queryKey: ['subject-limits', tenantKey, subject],
    queryFn: ({ signal }) => readSubjectLimits(tenantKey, subject, signal),
  });

async function readSubjectLimits(tenantKey: string, subject: SubjectValue, signal: AbortSignal) {
  const { subjectLimits } = await graphqlRequest(
    SubjectLimitsDocument,
    { tenantKey, subject: [subject] },
    signal,
  );
  return (subjectLimits ?? []).map(({ effective, ...rest }) => ({
    ...rest,
    effective: { ...effective, limit: readLimit(effective.limit), origin: effective.limit.origin },
  }));
}
