import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import { useRef } from 'react';
import type {
  ApisForMatrixQuery,
  CandidateComparisonQuery,
  PublicationGuardQuery,
  TierCompareQuery,
  TierDetailQuery,
  TierLintQuery,
  TierPublishInput,
  TierVersionRef,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, graphqlRequest } from '../../lib/graphql-request.js';
import { IdempotencyKeys } from '../../lib/idempotency.js';
import { readLimit, readLimits, type StoredLimit } from '../../lib/limit-fields.js';
import { sendMutation } from '../../lib/mutation.js';

export {
  ApiDefaultLimitsSetDocument,
  PublicationGuardCancelDocument,
  TierArchiveDocument,
  TierCohortExtendDocument,
  TierCreateDocument,
  TierDeleteDocument,
  TierDraftDiscardDocument,
  TierDraftSaveDocument,
  TierDuplicateDocument,
  TierMigrateDocument,
  TierRestoreDocument,
  TierUpdateDocument,
} from '../../generated/graphql.js';

const TiersDocument = graphql(`
  query Tiers($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id key name description rank version tenantCount managedBy archivedAt
        draft { id number }
        published {
          id number publishedAt
          limits { ...LimitFields }
        }
      }
    }
  }
`);

/** All tiers with their published limits, lowest rank first. */
export const tiersQuery = queryOptions({
  queryKey: ['tiers'],
  queryFn: async ({ signal }) => {
    const tiers = await everyPage(async (page) => (await graphqlRequest(TiersDocument, page, signal)).tiers);
    return tiers
      .map((tier) => ({ ...tier, published: tier.published && readLimits(tier.published) }))
      .toSorted((a, b) => a.rank - b.rank);
  },
});

export type TierInOverview = Awaited<ReturnType<NonNullable<(typeof tiersQuery)['queryFn']>>>[number];

const TierDetailDocument = graphql(`
  query TierDetail($key: String!) {
    tier(key: $key) {
      id key name description rank weight tags signUp version tenantCount managedBy archivedAt
      published { ...TierVersionFields }
      draft { ...TierVersionFields }
      versions { ...TierVersionFields }
    }
    apis(first: 100) { nodes { id key name version operations { id name } pools { id name } } }
  }

  fragment TierVersionFields on TierVersion {
    id number status publishedAt publishedBy note audience automatic carryOver tenantCount
    cohort { percent tags tenantKeys }
    limits { ...LimitFields }
  }
`);

export type TierDetail = ReturnType<typeof readTier>;
export type TierVersionDetail = TierDetail['versions'][number];
export type ApiChoice = TierDetailQuery['apis']['nodes'][number];

type Limits = Pick<TierVersionDetail, 'limits'> | null | undefined;

export const policiesOf = (version: Limits): LimitPolicy[] =>
  version?.limits.map(({ policy }) => policy) ?? [];

/** The limits of a version without those that it inherits from the defaults of an API. */
export const ownLimitsOf = (version: Limits): StoredLimit[] =>
  version?.limits.filter(({ origin }) => origin === 'TIER') ?? [];

export const ownPoliciesOf = (version: Limits): LimitPolicy[] =>
  ownLimitsOf(version).map(({ policy }) => policy);

/** One tier with its versions, and the APIs that a limit may name; `tier` is null when there is none. */
export const tierQuery = (key: string) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, key],
    queryFn: async ({ signal }) => {
      const { tier, apis } = await graphqlRequest(TierDetailDocument, { key }, signal);
      return { tier: tier ? readTier(tier) : null, apis: apis.nodes };
    },
  });

function readTier(tier: NonNullable<TierDetailQuery['tier']>) {
  return {
    ...tier,
    published: tier.published && readLimits(tier.published),
    draft: tier.draft && readLimits(tier.draft),
    versions: tier.versions.map(readLimits),
  };
}

const TierPublishDocument = graphql(`
  mutation TierPublish($input: TierPublishInput!) {
    tierPublish(input: $input) {
      changeId
      impact { ...ImpactFields }
      warnings { code severity message advice path }
      tier { id version published { id number } }
      userErrors { code field message }
    }
  }
`);

/** Publishes a tier's limits; invalidates tiers unless it is a dry run without a conflict. */
export function useTierPublish() {
  const queryClient = useQueryClient();
  const keys = useRef(new IdempotencyKeys()).current;
  return async (input: TierPublishInput) => {
    const payload = await sendMutation(TierPublishDocument, input, { keys });
    const isOutdated = payload.userErrors.some(({ code }) => code === 'CONFLICT');
    if (!input.dryRun || isOutdated) await queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey });
    return payload;
  };
}

export type TierPublished = Awaited<ReturnType<ReturnType<typeof useTierPublish>>>;

const TierLintDocument = graphql(`
  query TierLint($tierKey: String!, $version: Int) {
    tierLint(tierKey: $tierKey, version: $version) { severity code message advice path }
  }
`);

export type LintFinding = NonNullable<TierLintQuery['tierLint']>[number];

/** Lint findings of one tier version. */
export const tierLintQuery = (tierKey: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, tierKey, 'lint', version ?? null],
    queryFn: async ({ signal }) => {
      const variables = { tierKey, version: version ?? null };
      return (await graphqlRequest(TierLintDocument, variables, signal)).tierLint ?? [];
    },
    enabled: version !== undefined,
  });

const CandidateComparisonDocument = graphql(`
  query CandidateComparison($tierKey: String!) {
    candidateComparison(tierKey: $tierKey) {
      apiKey limitName from to tenants count liveDenied candidateDenied newlyDenied newlyAllowed
    }
  }
`);

export type CandidateComparison = CandidateComparisonQuery['candidateComparison'][number];

/** Denials of the published version's limits and of their candidates; refetches every ten seconds. */
export const candidateQuery = (tierKey: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, tierKey, 'candidates', version ?? null],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(CandidateComparisonDocument, { tierKey }, signal)).candidateComparison,
    refetchInterval: 10_000,
  });

const PublicationGuardDocument = graphql(`
  query PublicationGuard($tierKey: String!) {
    publicationGuard(tierKey: $tierKey) {
      id versionNumber state maxDenialRise minDecisions endsAt checkedAt message
      figures {
        affected { tenants decisions before after }
        pinned { tenants decisions before after }
        worst { tenantKey before after }
      }
    }
  }
`);

export type Guard = NonNullable<PublicationGuardQuery['publicationGuard']>;

/** The newest guard of a tier; refetches every five seconds while it watches. */
export const guardQuery = (tierKey: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, tierKey, 'guard', version ?? null],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(PublicationGuardDocument, { tierKey }, signal)).publicationGuard ?? null,
    refetchInterval: ({ state: { data } }) => (data?.state === 'WATCHING' ? 5_000 : false),
  });

const TierCompareDocument = graphql(`
  query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {
    tierCompare(a: $a, b: $b) {
      increased decreased
      limits {
        apiKey name kind increased decreased
        before { ...LimitFields }
        after { ...LimitFields }
      }
    }
  }
`);

/** Differences between two tier versions with the policies of each limit; null when one does not exist. */
export const tierCompareQuery = (a: TierVersionRef, b: TierVersionRef) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, 'compare', a, b],
    queryFn: async ({ signal }) => {
      const { tierCompare } = await graphqlRequest(TierCompareDocument, { a, b }, signal);
      return tierCompare ? readComparison(tierCompare) : null;
    },
  });

function readComparison({ limits, ...counts }: NonNullable<TierCompareQuery['tierCompare']>) {
  return {
    ...counts,
    before: limits.flatMap(({ before }) => (before ? [readLimit(before).policy] : [])),
    after: limits.flatMap(({ after }) => (after ? [readLimit(after).policy] : [])),
  };
}

const ApisForMatrixDocument = graphql(`
  query ApisForMatrix {
    apis(first: 100) { nodes { id key name operations { id name } } }
  }
`);

export type ApiInMatrix = ApisForMatrixQuery['apis']['nodes'][number];

/** The first hundred APIs with the names of their operations. */
export const apisForMatrixQuery = queryOptions({
  queryKey: ['apis', 'matrix'],
  queryFn: async ({ signal }) => (await graphqlRequest(ApisForMatrixDocument, {}, signal)).apis.nodes,
});

export const LimitPoolCreateDocument = graphql(`
  mutation LimitPoolCreate($input: PoolCreateInput!) {
    poolCreate(input: $input) { changeId userErrors { code field message } }
  }
`);
