import { queryOptions } from '@tanstack/react-query';
import type { TenantStatus } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

const PaletteSearchDocument = graphql(`
  query PaletteSearch($text: String!, $status: TenantStatus) {
    tenants(first: 6, search: $text, status: $status) { nodes { key name } }
    apis(first: 5, search: $text) { nodes { key name } }
    tiers(first: 50) { nodes { key name draft { id } } }
  }
`);

const PaletteNodeDocument = graphql(`
  query PaletteNode($id: ID!) {
    node(id: $id) {
      __typename
      id
      ... on Api { apiKeyName: key }
      ... on Tier { tierKey: key }
      ... on Tenant { tenantKey: key }
      ... on Offer { offerKey: key }
      ... on AuditEntry { entityId }
    }
  }
`);

export interface Found {
  label: string;
  hint: string;
  href: string;
}

/** An object that the text finds, with its page. */
export interface FoundObject extends Found {
  key: string;
  hasDraft?: boolean;
}

const matches = (text: string) => {
  const wanted = text.toLowerCase();
  return ({ key, name }: { key: string; name: string }) =>
    key.includes(wanted) || name.toLowerCase().includes(wanted);
};

/** @param status of tenants; any but archived if undefined */
export const paletteSearchQuery = (text: string, status?: TenantStatus) =>
  queryOptions({
    queryKey: ['palette', text, status],
    queryFn: async ({ signal }) => {
      const { tenants, apis, tiers } = await graphqlRequest(
        PaletteSearchDocument,
        { text, status: status ?? null },
        signal,
      );
      const found = (path: string, { key, name }: { key: string; name: string }): FoundObject => ({
        key,
        label: name,
        hint: key,
        href: `/${path}/${key}`,
      });
      return {
        tenants: tenants.nodes.map((tenant) => found('tenants', tenant)),
        apis: apis.nodes.map((api) => found('apis', api)),
        tiers: tiers.nodes
          .filter(matches(text))
          .map((tier) => ({ ...found('tiers', tier), hasDraft: tier.draft != null })),
      };
    },
    staleTime: 10_000,
  });

/** The page of an object; null if it does not exist or the viewer may not read it. */
export const paletteNodeQuery = (id: string) =>
  queryOptions({
    queryKey: ['palette', 'node', id],
    queryFn: async ({ signal }): Promise<Found | null> => {
      const known = pageOfId(id);
      if (known !== undefined) return known;
      const { node } = await graphqlRequest(PaletteNodeDocument, { id }, signal);
      if (!node) return null;
      const at = (label: string, href: string): Found => ({ label, hint: id, href });
      switch (node.__typename) {
        case 'Tenant':
          return at(node.tenantKey, `/tenants/${node.tenantKey}`);
        case 'Api':
          return at(node.apiKeyName, `/apis/${node.apiKeyName}`);
        case 'Tier':
          return at(node.tierKey, `/tiers/${node.tierKey}`);
        case 'Offer':
          return at(node.offerKey, `/offers/${node.offerKey}`);
        case 'Purchase':
          return at(node.__typename, `/purchases/${id}`);
        case 'ServiceToken':
          return at(node.__typename, '/service-tokens');
        case 'AuditEntry':
          return at(node.__typename, `/audit?entityId=${node.entityId}`);
        default:
          return at(node.__typename, `/audit?entityId=${id}`);
      }
    },
    staleTime: 10_000,
  });

/** The page of an ID whose type determines it without a request. */
function pageOfId(id: string): Found | undefined {
  const prefix = id.split('_')[0];
  if (prefix === 'cst') return { label: id, hint: 'change set', href: `/change-sets/${id}` };
  if (prefix === 'whe') return { label: id, hint: 'webhook endpoint', href: `/webhooks/${id}` };
  if (prefix === 'ovr' || prefix === 'ent' || prefix === 'usr')
    return { label: id, hint: 'audit trail', href: `/audit?entityId=${id}` };
  return undefined;
}

/** Classifies pasted text: an ID, a request ID or API key to explain, or search words. */
export function kindOfQuery(text: string): 'id' | 'why' | 'words' {
  if (/^(?:req_[0-9a-z]+|tgk_[a-z]+_\w+)$/i.test(text)) return 'why';
  return /^[a-z]{3,4}_[0-9a-f]{32}$/.test(text) ? 'id' : 'words';
}
