import type {
  LimitFieldsFragment,
  TenantDetailQuery,
  TierDetailQuery,
  TierPublishMutation,
  UserErrorCode,
} from '../src/generated/graphql.js';

// Data of responses, with what a test does not say about an object.

type Tier = NonNullable<TierDetailQuery['tier']>;
type TierVersion = Tier['versions'][number];

/** The error of an input field, as the server sends it. */
export const invalid = (field: string[] | null, message: string, code: UserErrorCode = 'INVALID') => ({
  ...{ code, field, message },
});

/** 10/min of the operation `buy` of the API `shop`. */
export const LIMIT: LimitFieldsFragment = {
  ...{ id: 'lim_1', name: 'per-minute', apiKey: 'shop', alsoApis: [], operations: ['buy'], per: [] },
  ...{
    onMissing: 'SHARED',
    onUnavailable: 'SHARE',
    deadlineMs: null,
    charge: 'ALWAYS',
    attemptTimeoutMs: null,
  },
  ...{ inHeaders: true, storage: 'KEY', expectedSubjects: null, ipv4Prefix: null, ipv6Prefix: null },
  ...{ rolloverPercent: null, sharedWithChildren: false, summary: '10 requests a minute', origin: 'TIER' },
  ...{ algorithm: 'FIXED_WINDOW', limit: 10, windowMs: 60_000, alignment: 'FIRST_REQUEST', buckets: null },
  ...{ capacity: null, refill: null, queue: null, burst: null, leaseMs: null, period: null },
  ...{ penalty: null, warmUp: null, amounts: null, candidate: null },
  throttle: { mode: 'HARD', percent: null, maxPercent: null, pool: null, maxDelayMs: null },
  enforcement: { mode: 'ENFORCE', percent: null },
  consistency: { mode: 'STRICT', leaseMs: null },
};

export const versionWith = (number: number, limits: LimitFieldsFragment[] = [LIMIT]): TierVersion => ({
  ...{
    id: `ver_${number}`,
    number,
    status: 'PUBLISHED',
    publishedAt: '2026-11-01T08:00:00Z',
    publishedBy: 'Ada',
  },
  ...{
    note: null,
    audience: 'EVERYONE_NOW',
    automatic: false,
    carryOver: 'KEEP',
    tenantCount: 1,
    cohort: null,
  },
  limits,
});

const SHOP = {
  ...{ id: 'api_1', key: 'shop', name: 'Shop', version: 1 },
  operations: ['buy', 'sell', 'browse'].map((name) => ({ id: `op_${name}`, name })),
  pools: [],
};

/** The tier Basic, with one tenant and version 1 of one limit, and the API Shop. */
export function basicTier(part: Partial<Tier> = {}): TierDetailQuery {
  const published = versionWith(1);
  const tier: Tier = {
    ...{
      id: 'tir_1',
      key: 'basic',
      name: 'Basic',
      description: '',
      rank: 0,
      weight: 1,
      tags: [],
      signUp: false,
    },
    ...{ version: 3, tenantCount: 1, managedBy: 'CONSOLE', archivedAt: null, draft: null },
    ...{ published, versions: [published] },
    ...part,
  };
  return { tier, apis: { nodes: [SHOP] } };
}

/** The outcome of publishing version 2 of Basic, or of its dry run. */
export const publication = (part: Partial<TierPublishMutation['tierPublish']> = {}): TierPublishMutation => ({
  tierPublish: {
    ...{ changeId: 'chg_1', impact: null, warnings: [], userErrors: [] },
    tier: { id: 'tir_1', version: 4, published: { id: 'ver_2', number: 2 } },
    ...part,
  },
});

/** The tenant Acme on the tier Basic. */
export const acme = (part: Partial<NonNullable<TenantDetailQuery['tenant']>> = {}): TenantDetailQuery => ({
  tenant: {
    ...{ id: 'ten_1', key: 'acme', name: 'Acme', status: 'ACTIVE', timeZone: 'UTC', billingAnchorDay: 1 },
    ...{ version: 7, createdAt: '2026-01-01T00:00:00Z', tags: [], managedBy: 'CONSOLE', parentKey: null },
    ...{ floors: [], sharedLimits: [] },
    subscription: {
      ...{ pinned: false, since: '2026-01-01T00:00:00Z' },
      tier: { id: 'tir_1', key: 'basic', name: 'Basic' },
      tierVersion: { id: 'ver_1', number: 1 },
    },
    effectiveLimits: [
      { source: 'TIER', tierLimit: 10, clamped: false, provenance: [], live: null, limit: LIMIT },
    ],
    ...part,
  },
});
