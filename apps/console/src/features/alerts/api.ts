import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AlertThresholdRemoveInput, AlertThresholdSetInput } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const AlertThresholdsDocument = graphql(`
  query AlertThresholds($tenantKey: String!) {
    alertThresholds(tenantKey: $tenantKey) { id apiKey limitName percents }
  }
`);

const AlertThresholdSetDocument = graphql(`
  mutation AlertThresholdSet($input: AlertThresholdSetInput!) {
    alertThresholdSet(input: $input) { changeId userErrors { code field message } }
  }
`);

const AlertThresholdRemoveDocument = graphql(`
  mutation AlertThresholdRemove($input: AlertThresholdRemoveInput!) {
    alertThresholdRemove(input: $input) { changeId userErrors { code field message } }
  }
`);

const alertsKey = ['alert-thresholds'] as const;

/** Alert thresholds of a tenant, widest target first. */
export const alertThresholdsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: [...alertsKey, tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(AlertThresholdsDocument, { tenantKey }, signal)).alertThresholds.toSorted(
        (a, b) => positionOf(a).localeCompare(positionOf(b)),
      ),
  });

const positionOf = ({ apiKey, limitName }: { apiKey?: string | null; limitName?: string | null }) =>
  `${apiKey ?? ''}/${limitName ?? ''}`;

/** The same as a script would ask. */
export function alertThresholdCall(input: AlertThresholdSetInput): MutationCall {
  return { mutation: 'alertThresholdSet', inputType: 'AlertThresholdSetInput', input };
}

/** Sets thresholds in the place of those that there were for the same. */
export function useAlertThresholdSet() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: AlertThresholdSetInput) => {
      throwUserErrors((await graphqlRequest(AlertThresholdSetDocument, { input })).alertThresholdSet);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: alertsKey }),
  });
}

/** Takes a setting back. */
export function useAlertThresholdRemove() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: AlertThresholdRemoveInput) => {
      throwUserErrors((await graphqlRequest(AlertThresholdRemoveDocument, { input })).alertThresholdRemove);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: alertsKey }),
  });
}
