import { expect } from 'vitest';
import { versionOf } from './policy-factory.js';
import type { TestApp } from './test-app.js';

/** Payload of adjustment mutations. */
export interface Answer {
  userErrors: { code: string; field: string[] | null; message: string }[];
  warnings: string[];
  changeId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary payloads.
  [field: string]: any;
}

export const HOUR_MS = 3_600_000;
export const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The one limit of `createPolicy`. */
export const perMinute = { apiKey: 'shop', limit: 'per-minute' };

const FIELDS: Record<string, string> = {
  override:
    'override { id kind status limit reason endsAt createdBy effect { kind limit percent } tenant { key } }',
  boost: 'override { id kind status endsAt }',
  entitlement:
    'entitlements { id source cause label limit apiKey inForce endsAt effect { kind units percent } ends { cause at } }',
  quotaRequest:
    'request { id status version current wanted offered until answer grantedId requestedBy tenant { key } }',
};

/** Adjustment mutations and queries of an app, by default as an operator. */
export function adjustmentsOf(app: () => TestApp) {
  const mutate = async (
    mutation: string,
    input: object,
    headers?: Record<string, string>,
  ): Promise<Answer> => {
    const isOwn = mutation.startsWith('quotaRequest') && /Accept|Withdraw/.test(mutation);
    const own = isOwn ? 'QuotaRequestOwn' : `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
    const fields = Object.entries(FIELDS).find(([name]) => mutation.startsWith(name))?.[1];
    const query = `mutation($input: ${own}Input!) { result: ${mutation}(input: $input) {
      ${fields} changeId warnings impact { increased decreased } userErrors { code field message } } }`;
    const { data, errors } = await app().graphql(query, { input }, headers);
    expect(errors).toEqual([]);
    return data.result;
  };
  return {
    mutate,
    tenant: async (key = 'acme') => ({
      tenantKey: key,
      expectedVersion: await versionOf(app(), 'tenant', key),
    }),
    /** The first effective limit of a tenant. */
    effective: async (key = 'acme', headers?: Record<string, string>) => {
      const { data, errors } = await app().graphql(
        `query($key: String!) { tenant(key: $key) { effectiveLimits {
          limit { name limit } tierLimit source clamped live { used remaining }
          provenance { source adjustmentId label from to until } } } }`,
        { key },
        headers,
      );
      expect(errors).toEqual([]);
      return data.tenant.effectiveLimits[0];
    },
  };
}
