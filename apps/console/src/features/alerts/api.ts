import { queryOptions } from '@tanstack/react-query';
import { graphql } from '../../generated/index.js';
import { fieldQuery } from '../../lib/graphql-request.js';

const AlertThresholdsDocument = graphql(`
  query AlertThresholds($tenantKey: String!) {
    alertThresholds(tenantKey: $tenantKey) { id apiKey limitName percents }
  }
`);

export const AlertThresholdSetDocument = graphql(`
  mutation AlertThresholdSet($input: AlertThresholdSetInput!) {
    alertThresholdSet(input: $input) { changeId userErrors { code field message } }
  }
`);

export const AlertThresholdRemoveDocument = graphql(`
  mutation AlertThresholdRemove($input: AlertThresholdRemoveInput!) {
    alertThresholdRemove(input: $input) { changeId userErrors { code field message } }
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
