import { queryOptions } from '@tanstack/react-query';
import type { UsageOverTimeQuery, UsageSummaryQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { questionOf, stepOf, type UsageView } from './usage-view.js';

const UsageDocument = graphql(`
  query UsageOverTime(
    $tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!]
    $apiKey: String, $operation: String, $limitName: String
  ) {
    usage(
      tenantKey: $tenantKey, from: $from, to: $to, interval: $interval, groupBy: $groupBy
      apiKey: $apiKey, operation: $operation, limitName: $limitName
    ) {
      tenantKey interval timeZone from to keptSince omittedSeries
      total { count denied units }
      series {
        apiKey operation limitName outcome
        total { count denied units }
        points { at count denied units }
      }
    }
  }
`);

export type Usage = NonNullable<UsageOverTimeQuery['usage']>;
export type UsageSeries = Usage['series'][number];
export type UsageCount = Usage['total'];

/**
 * Usage of a tenant for a view; null when the tenant does not exist. Ranges that end now refetch: every ten seconds
 * for minutes, else every minute.
 */
export const usageQuery = (tenantKey: string, view: UsageView) =>
  queryOptions({
    queryKey: ['usage', tenantKey, view],
    queryFn: async ({ signal }) => {
      const { api = null, operation = null, limit = null } = view;
      const question = questionOf(view, Date.now());
      const variables = { tenantKey, ...question, apiKey: api, operation, limitName: limit };
      return (await graphqlRequest(UsageDocument, variables, signal)).usage ?? null;
    },
    refetchInterval: view.from ? false : stepOf(view) === 'minute' ? 10_000 : 60_000,
  });

const UsageSummaryDocument = graphql(`
  query UsageSummary($tenantKey: String!) {
    usageSummary(tenantKey: $tenantKey) {
      tenantKey periodStart periodEnd
      total { count denied units }
      peakDay { at count denied units }
      peakMinute { at count denied units }
      quotas {
        apiKey limitName operations period periodStart periodEnd limit used isLive unitsPerHour runsOutAt
      }
    }
  }
`);

export type UsageSummaryData = NonNullable<UsageSummaryQuery['usageSummary']>;
export type QuotaUsage = UsageSummaryData['quotas'][number];

/** Billing period usage and quota forecasts of a tenant; null when the tenant does not exist. */
export const usageSummaryQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['usage-summary', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(UsageSummaryDocument, { tenantKey }, signal)).usageSummary ?? null,
    refetchInterval: 30_000,
  });

const LimitCrossingsDocument = graphql(`
  query LimitCrossings($tenantKey: String!, $first: Int!) {
    limitCrossings(tenantKey: $tenantKey, first: $first) {
      totalCount
      nodes { id apiKey limitName counter percent used capacity at }
    }
  }
`);

const SHOWN = 20;

/** The newest thresholds that a tenant's limits reached. */
export const limitCrossingsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['limit-crossings', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(LimitCrossingsDocument, { tenantKey, first: SHOWN }, signal)).limitCrossings,
    refetchInterval: 30_000,
  });
