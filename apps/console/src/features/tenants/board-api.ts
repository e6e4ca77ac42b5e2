import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TenantBoardQuery, TenantStatus, UtilizationOrder } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { formatCount, formatRate } from '../../lib/rate.js';
import { tenantsKey } from './api.js';

export { SavedViewRemoveDocument, SavedViewSetDocument } from '../../generated/graphql.js';

const TenantBoardDocument = graphql(`
  query TenantBoard(
    $first: Int!, $after: String, $orderBy: UtilizationOrder!, $descending: Boolean!
    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean, $tenantKey: String
  ) {
    tenantUtilization(
      first: $first, after: $after, orderBy: $orderBy, descending: $descending, tenantKey: $tenantKey
      search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied
    ) {
      pageInfo { endCursor hasNextPage }
      nodes {
        percent requests denied exhaustsAt requestsByHour deniedByHour
        tenant { id key name status subscription { pinned tier { id key name } tierVersion { id number } } }
        tightest { ...BoardLimit }
        exhausting { ...BoardLimit }
      }
    }
  }
  fragment BoardLimit on LimitUtilization {
    apiKey limitName limit windowMs period per used capacity percent denied peakAt limitedSince resetsAt exhaustsAt
  }
`);

const LimitUtilizationDocument = graphql(`
  query LimitUtilization($tenantKey: String!) {
    limitUtilization(tenantKey: $tenantKey) { ...BoardLimit }
  }
`);

/** Utilization of all enforced limits of a tenant, fullest first. */
export const limitUtilizationQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: [...tenantsKey, 'limits', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(LimitUtilizationDocument, { tenantKey }, signal)).limitUtilization ?? [],
    refetchInterval: 3_000,
  });

/** A tenant as on the board; null when it does not exist. */
export const boardTenantQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: [...tenantsKey, 'board-tenant', tenantKey],
    queryFn: async ({ signal }): Promise<BoardTenant | null> => {
      const variables = { tenantKey, first: 1, orderBy: 'UTILIZATION', descending: true } as const;
      return (
        (await graphqlRequest(TenantBoardDocument, variables, signal)).tenantUtilization.nodes[0] ?? null
      );
    },
    refetchInterval: 5_000,
  });

const TenantBoardCountDocument = graphql(`
  query TenantBoardCount(
    $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean
  ) {
    tenantUtilization(
      first: 1, search: $search, tier: $tier, status: $status, minPercent: $minPercent, denied: $denied
    ) { totalCount }
  }
`);

export type BoardTenant = TenantBoardQuery['tenantUtilization']['nodes'][number];
export type BoardLimit = NonNullable<BoardTenant['tightest']>;

/** Filter and order of the board, as in the address. Undefined fields do not filter. */
export interface BoardView {
  search?: string | undefined;
  tier?: string | undefined;
  status?: TenantStatus | undefined;
  /** At least this utilization, percent. */
  over?: number | undefined;
  denied?: true | undefined;
  /** By utilization by default. */
  sort?: BoardSort | undefined;
  /** Against the natural direction of the order. */
  reverse?: true | undefined;
}

/** A view as search parameters of the address. */
export type BoardSearch = {
  [K in keyof BoardView]: K extends 'sort'
    ? Exclude<BoardView[K], 'utilization' | undefined>
    : Exclude<BoardView[K], undefined>;
};

/** Columns by their name in the address; numbers begin with the highest. */
export const BOARD_SORTS = {
  utilization: { order: 'UTILIZATION', descending: true },
  denied: { order: 'DENIED', descending: true },
  requests: { order: 'REQUESTS', descending: true },
  exhaustion: { order: 'EXHAUSTION', descending: false },
  name: { order: 'NAME', descending: false },
  tier: { order: 'TIER', descending: false },
  status: { order: 'STATUS', descending: false },
} as const satisfies Record<string, { order: UtilizationOrder; descending: boolean }>;

export type BoardSort = keyof typeof BOARD_SORTS;

/** The filter of a view, as input of queries and bulk actions. */
export const filterOf = ({ search, tier, status, over, denied }: BoardView) => ({
  search: search ?? null,
  tier: tier ?? null,
  status: status ?? null,
  minPercent: over ?? null,
  denied: denied ?? null,
});

/** Whether a view filters anything. */
export const isFiltered = (view: BoardView): boolean =>
  Object.values(filterOf(view)).some((value) => value !== null);

/** Above this number of loaded pages, rows are no longer refetched by themselves. */
const FRESH_PAGES = 3;

export const tenantBoardQuery = (view: BoardView, first: number) =>
  infiniteQueryOptions({
    queryKey: [...tenantsKey, 'board', view, first],
    queryFn: async ({ pageParam, signal }) => {
      const { order, descending } = BOARD_SORTS[view.sort ?? 'utilization'];
      const variables = {
        ...filterOf(view),
        first,
        after: pageParam,
        orderBy: order,
        descending: view.reverse ? !descending : descending,
      };
      return (await graphqlRequest(TenantBoardDocument, variables, signal)).tenantUtilization;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    select: ({ pages }) => pages.flatMap(({ nodes }) => nodes),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > FRESH_PAGES ? false : 5_000),
  });

export const tenantBoardCountQuery = (view: BoardView) => {
  const filter = filterOf(view);
  return queryOptions({
    queryKey: [...tenantsKey, 'board-count', filter],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(TenantBoardCountDocument, filter, signal)).tenantUtilization.totalCount,
    refetchInterval: 30_000,
  });
};

/** `100/min`, `10k/month`, `5 at once`. */
export function limitText({
  limit,
  windowMs,
  period,
}: Pick<BoardLimit, 'limit' | 'windowMs' | 'period'>): string {
  if (windowMs != null) return formatRate({ limit, windowMs });
  return period == null ? `${formatCount(limit)} at once` : `${formatCount(limit)}/${period.toLowerCase()}`;
}

const SavedViewsDocument = graphql(`
  query SavedViews { savedViews(list: "tenants") { id name search } }
`);

/** Saved views of the operator. */
export const savedViewsQuery = queryOptions({
  ...fieldQuery(['saved-views'], SavedViewsDocument, {}),
  staleTime: 60_000,
});
