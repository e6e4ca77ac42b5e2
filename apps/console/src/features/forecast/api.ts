import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { BoostStartInput, RunningOutQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const RunningOutDocument = graphql(`
  query RunningOut($first: Int!) {
    runningOut(hours: 24, first: $first) {
      tenantKey tenantName timeZone
      quota { apiKey limitName period periodEnd limit used runsOutAt isLive }
    }
  }
`);

export type RunningOut = RunningOutQuery['runningOut'][number];

const SHOWN = 8;

/** Quotas that run out within a day, soonest first. */
export const runningOutQuery = queryOptions({
  queryKey: ['running-out'],
  queryFn: async ({ signal }) =>
    (await graphqlRequest(RunningOutDocument, { first: SHOWN }, signal)).runningOut,
  refetchInterval: 30_000,
});

const TenantVersionDocument = graphql(`
  query TenantVersion($key: String!) { tenant(key: $key) { id version } }
`);

const QuotaBoostDocument = graphql(`
  mutation QuotaBoost($input: BoostStartInput!) {
    boostStart(input: $input) {
      changeId warnings
      impact { tenants increased decreased }
      userErrors { code field message }
    }
  }
`);

export interface QuotaBoost {
  tenantKey: string;
  apiKey: string;
  limit: string;
  /** Increase in percent. */
  morePercent: number;
  hours: number;
  reason: string;
}

function inputOf(boost: QuotaBoost, expectedVersion: number): BoostStartInput {
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

export function boostStartCall(boost: QuotaBoost, expectedVersion: number): MutationCall {
  return { mutation: 'boostStart', inputType: 'BoostStartInput', input: inputOf(boost, expectedVersion) };
}

async function start(boost: QuotaBoost, dryRun: boolean, signal?: AbortSignal) {
  const { tenant } = await graphqlRequest(TenantVersionDocument, { key: boost.tenantKey }, signal);
  const expectedVersion = tenant?.version ?? 0;
  const input = { ...inputOf(boost, expectedVersion), dryRun };
  const { boostStart } = await graphqlRequest(QuotaBoostDocument, { input }, signal);
  throwUserErrors(boostStart);
  return { ...boostStart, expectedVersion };
}

/** Impact of a boost and the tenant version of the trial; fails with the user errors. */
export const boostTrialQuery = (boost: Omit<QuotaBoost, 'reason'>) =>
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

export function useQuotaBoost() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (boost: QuotaBoost) => start(boost, false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runningOutQuery.queryKey }),
  });
}
