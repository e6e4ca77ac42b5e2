import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../generated/index.js';
import { fieldQuery } from '../../lib/graphql-request.js';

export { AlertThresholdRemoveDocument, AlertThresholdSetDocument } from '../../generated/graphql.js';

const AlertThresholdsDocument = graphql(`
  query AlertThresholds($tenantKey: String!) {
    alertThresholds(tenantKey: $tenantKey) { id apiKey limitName percents }
  }
`);

export const alertsKey = ['alert-thresholds'] as const;

/** Alert thresholds of a tenant, widest target first. */
export const alertThresholdsQuery = (tenantKey: string) =>
  queryOptions({
    ...fieldQuery([...alertsKey, tenantKey], AlertThresholdsDocument, { tenantKey }),
    select: (thresholds) => thresholds.toSorted((a, b) => positionOf(a).localeCompare(positionOf(b))),
  });

const positionOf = ({ apiKey, limitName }: { apiKey?: string | null; limitName?: string | null }) =>
  `${apiKey ?? ''}/${limitName ?? ''}`;
