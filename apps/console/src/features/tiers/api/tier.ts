import { queryOptions } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import type { TierDetailQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { readLimits, type StoredLimit } from '../../../lib/limit-fields.js';
import { tiersQuery } from './tiers.js';

const TierDetailDocument = graphql(`
  query TierDetail($key: String!) {
    tier(key: $key) {
      id key name description rank weight tags signUp version tenantCount managedBy archivedAt
      published { ...TierVersionFields }
      draft { ...TierVersionFields }
      versions { ...TierVersionFields }
    }
    apis(first: 100) { nodes { id key name operations { id name } pools { id name } } }
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

/** The limits of a version as policies; none of no version. */
export const policiesOf = (version: Pick<TierVersionDetail, 'limits'> | null | undefined): LimitPolicy[] =>
  version?.limits.map(({ policy }) => policy) ?? [];

/** The limits that a version has itself; those that it has from an API's defaults are not to be copied into a new one. */
export const ownLimitsOf = (version: Pick<TierVersionDetail, 'limits'> | null | undefined): StoredLimit[] =>
  version?.limits.filter(({ origin }) => origin === 'TIER') ?? [];

export const ownPoliciesOf = (version: Pick<TierVersionDetail, 'limits'> | null | undefined): LimitPolicy[] =>
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
