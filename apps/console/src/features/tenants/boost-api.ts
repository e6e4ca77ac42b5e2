import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { BoostStartInput } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import { sendMutation, useSingleMutation } from '../../lib/mutation.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { tenantsKey } from './api.js';

const TenantVersionDocument = graphql(`
  query TenantVersion($key: String!) { tenant(key: $key) { id version } }
`);

const LimitBoostDocument = graphql(`
  mutation LimitBoost($input: BoostStartInput!) {
    boostStart(input: $input) {
      changeId warnings
      impact { tenants increased decreased }
      userErrors { code field message }
    }
  }
`);

export interface LimitBoost {
  tenantKey: string;
  apiKey: string;
  limit: string;
  /** Increase in percent. */
  morePercent: number;
  hours: number;
  reason: string;
}

function inputOf(boost: LimitBoost, expectedVersion: number): BoostStartInput {
  const { tenantKey, apiKey, limit, morePercent, hours, reason } = boost;
  return {
    tenantKey,
    apiKey,
    limit,
    reason,
    expectedVersion,
    effect: { kind: 'MULTIPLY', percent: 100 + morePercent },
    endsAt: new Date(Date.now() + hours * 3_600_000).toISOString(),
  };
}

export function boostStartCall(boost: LimitBoost, expectedVersion: number): MutationCall {
  return { mutation: 'boostStart', inputType: 'BoostStartInput', input: inputOf(boost, expectedVersion) };
}

async function start(boost: LimitBoost, dryRun: boolean, signal?: AbortSignal) {
  const { tenant } = await graphqlRequest(TenantVersionDocument, { key: boost.tenantKey }, signal);
  const expectedVersion = tenant?.version ?? 0;
  const input = { ...inputOf(boost, expectedVersion), dryRun };
  const started = await sendMutation(LimitBoostDocument, input, signal && { signal });
  throwUserErrors(started);
  return { ...started, expectedVersion };
}

/** Impact of a boost and the tenant version of the trial; fails with the user errors. */
export const boostTrialQuery = (boost: Omit<LimitBoost, 'reason'>) =>
  queryOptions({
    queryKey: ['boost-trial', boost],
    queryFn: async ({ signal }) => {
      const tried = await start({ ...boost, reason: 'Tried' }, true, signal);
      const { impact, warnings, expectedVersion } = tried;
      return { impact: impact ?? null, warnings, expectedVersion };
    },
    retry: false,
    staleTime: 0,
  });

export function useLimitBoost() {
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: (boost: LimitBoost) => start(boost, false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: tenantsKey }),
  });
}
