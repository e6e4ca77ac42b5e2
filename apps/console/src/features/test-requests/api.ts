import { queryOptions } from '@tanstack/react-query';
import type { TestRequestSendMutation } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { fieldQuery, graphqlRequest } from '../../lib/graphql-request.js';
import { readLimit } from '../../lib/limit-fields.js';

const TestRequestApisDocument = graphql(`
  query TestRequestApis {
    apis(first: 100) { nodes { id key name operations { id name } } }
  }
`);

/** APIs with the names of their operations. */
export const testableApisQuery = fieldQuery(['apis', 'test-request'], TestRequestApisDocument, {});

const TestRequestLimitsDocument = graphql(`
  query TestRequestLimits($tenantKey: String!) {
    tenant(key: $tenantKey) { id effectiveLimits { limit { ...LimitFields } } }
  }
`);

/** The effective limits of a tenant; those of its tier first. */
export const testedLimitsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['test-request-limits', tenantKey],
    queryFn: async ({ signal }) => {
      const { tenant } = await graphqlRequest(TestRequestLimitsDocument, { tenantKey }, signal);
      const limits = tenant?.effectiveLimits.map(({ limit }) => readLimit(limit)) ?? [];
      return limits.toSorted((a, b) => b.origin.localeCompare(a.origin)).map(({ policy }) => policy);
    },
    enabled: tenantKey !== '',
  });

const TestRequestKeysDocument = graphql(`
  query TestRequestKeys($tenantKey: String!) {
    apiKeys(tenantKey: $tenantKey, first: 50) { nodes { id name publicId scopes revokedAt } }
  }
`);

/** The newest API keys of a tenant. */
export const testableKeysQuery = (tenantKey: string) =>
  fieldQuery(['api-keys', tenantKey, 'test-request'], TestRequestKeysDocument, { tenantKey });

export const TestRequestSendDocument = graphql(`
  mutation TestRequestSend($input: TestRequestSendInput!) {
    testRequestSend(input: $input) {
      results {
        status success reason limitName limit remaining resetAt retryAfter delayMs degraded revision requestId
        headers { name value }
        policies { limitName label limit remaining resetAt mode success }
      }
      userErrors { code field message }
    }
  }
`);

export type TestResult = TestRequestSendMutation['testRequestSend']['results'][number];
