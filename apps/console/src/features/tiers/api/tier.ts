import { queryOptions } from '@tanstack/react-query';
import type { TierDetailQuery } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest } from '../../../lib/graphql-request.js';
import { tiersQuery } from './tiers.js';

const TierDetailDocument = graphql(`
  query TierDetail($key: String!) {
    tier(key: $key) { ...TierDetailFields }
    apis(first: 100) { nodes { id key name operations { id name } } }
  }

  fragment TierDetailFields on Tier {
    id key name description rank version tenantCount
    published { ...TierVersionFields }
    draft { ...TierVersionFields }
    versions { ...TierVersionFields }
  }

  fragment TierVersionFields on TierVersion {
    id number status publishedAt publishedBy note
    limits { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }
  }
`);

export type TierDetail = NonNullable<TierDetailQuery['tier']>;
export type TierVersionDetail = TierDetail['versions'][number];
export type ApiChoice = TierDetailQuery['apis']['nodes'][number];

/** One tier with its versions, and the APIs that a limit may name; `tier` is null when there is none. */
export const tierQuery = (key: string) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, key],
    queryFn: async ({ signal }) => {
      const { tier, apis } = await graphqlRequest(TierDetailDocument, { key }, signal);
      return { tier: tier ?? null, apis: apis.nodes };
    },
  });
