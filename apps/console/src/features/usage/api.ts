import { queryOptions } from '@tanstack/react-query';
import type { TrafficQuery, UsageOverTimeQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { questionOf, spanOf, stepOf, type TrafficView, type UsageView } from './usage-view.js';

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
      total { count denied degraded units }
      series {
        apiKey operation limitName outcome
        total { count denied degraded units }
        points { at count denied degraded units candidateDenied }
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

const TrafficDocument = graphql(`
  query Traffic($from: DateTime!, $to: DateTime) {
    traffic(from: $from, to: $to) {
      from to stepMs p50Ms p99Ms
      total { count denied degraded units }
      points { at count denied degraded units p50Ms p99Ms }
      previousTotal { count denied degraded units }
      previousPoints { at count denied degraded units }
      publications { tierKey tierName number at }
    }
  }
`);

export type Traffic = TrafficQuery['traffic'];

/** Decisions of all tenants in a view. Ranges that end now refetch, short ones every five seconds. */
export const trafficQuery = (view: TrafficView) =>
  queryOptions({
    queryKey: ['traffic', view],
    queryFn: async ({ signal }) => {
      const { fromMs, toMs } = spanOf(view, Date.now());
      const from = new Date(fromMs).toISOString();
      const to = view.to === undefined ? null : new Date(toMs).toISOString();
      return (await graphqlRequest(TrafficDocument, { from, to }, signal)).traffic;
    },
    refetchInterval: ({ state: { data } }) =>
      view.from ? false : data && data.total.count > 0 && data.stepMs > SHORT_STEP_MS ? 60_000 : 5_000,
  });

/** Steps up to a quarter of an hour change visibly within seconds. */
const SHORT_STEP_MS = 900_000;

const TrafficLeaderDocument = graphql(`
  query TrafficLeader($from: DateTime!, $to: DateTime) {
    usageTop(from: $from, to: $to, orderBy: DENIED, first: 1) { tenantKey tenantName denied }
  }
`);

/** The tenant with the most denials in a range; undefined without denials. */
export const mostDeniedQuery = (from: string, to: string, enabled: boolean) =>
  queryOptions({
    queryKey: ['traffic', 'most-denied', from],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(TrafficLeaderDocument, { from, to }, signal)).usageTop[0] ?? null,
    enabled,
  });

const UsageSummaryDocument = graphql(`
  query UsageSummary($tenantKey: String!) {
    usageSummary(tenantKey: $tenantKey) {
      periodStart periodEnd
      total { count denied }
      peakDay { at count }
      peakMinute { at count }
    }
  }
`);

/** Billing period usage of a tenant; null when the tenant does not exist. */
export const usageSummaryQuery = (tenantKey: string) =>
  queryOptions({
    ...fieldQuery(['usage-summary', tenantKey], UsageSummaryDocument, { tenantKey }),
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
    ...fieldQuery(['limit-crossings', tenantKey], LimitCrossingsDocument, { tenantKey, first: SHOWN }),
    refetchInterval: 30_000,
  });
