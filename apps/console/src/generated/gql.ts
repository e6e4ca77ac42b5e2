/* eslint-disable */
import * as types from './graphql.js';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  mutation ApiCreate($input: ApiCreateInput!) {\n    apiCreate(input: $input) { api { id key } userErrors { code field message } }\n  }\n": typeof types.ApiCreateDocument,
    "\n  query Api($key: String!) {\n    api(key: $key) {\n      id key name description unknownOperations version createdAt\n      operations { id name description cost }\n    }\n    tiers(first: 100) {\n      nodes { id key name rank published { id limits { id name apiKey operations per limit windowMs summary } } }\n    }\n  }\n": typeof types.ApiDocument,
    "\n  query Apis {\n    apis(first: 100) {\n      totalCount\n      nodes { id key name description unknownOperations operations { id name cost } }\n    }\n  }\n": typeof types.ApisDocument,
    "\n  mutation OperationCreate($input: OperationCreateInput!) {\n    operationCreate(input: $input) { api { id key version } userErrors { code field message } }\n  }\n": typeof types.OperationCreateDocument,
    "\n  query AuditEntries($first: Int!, $after: String, $tenant: String) {\n    auditEntries(first: $first, after: $after, tenant: $tenant) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id at actor actorKind action entity entityId tenantKey before after reason requestId }\n    }\n  }\n": typeof types.AuditEntriesDocument,
    "\n  query LiveExample {\n    tenants(first: 1, status: ACTIVE) { nodes { key } }\n    apis(first: 10) { nodes { key operations { name } } }\n  }\n": typeof types.LiveExampleDocument,
    "\n  query DecisionNodes {\n    decisionNodes {\n      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale\n      nack { revision reason }\n    }\n    currentRevision { number publishedAt hash }\n  }\n": typeof types.DecisionNodesDocument,
    "\n  query Propagation($changeId: ID!) {\n    propagation(changeId: $changeId) {\n      changeId state revision publishedAt liveNodes totalNodes slowestMs\n      nodes { nodeId live latencyMs nack { revision reason } }\n    }\n  }\n": typeof types.PropagationDocument,
    "\n  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {\n    serviceTokenCreate(input: $input) { token userErrors { code field message } }\n  }\n": typeof types.ServiceTokenCreateDocument,
    "\n  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {\n    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }\n  }\n": typeof types.ServiceTokenRevokeDocument,
    "\n  query ServiceTokens {\n    serviceTokens { id name publicId lastFour scopes createdAt expiresAt revokedAt }\n  }\n": typeof types.ServiceTokensDocument,
    "\n  mutation TenantTierChange($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantTierChangeDocument,
    "\n  mutation TenantSuspend($input: TenantStatusInput!) {\n    tenantSuspend(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantSuspendDocument,
    "\n  mutation TenantResume($input: TenantStatusInput!) {\n    tenantResume(input: $input) { changeId userErrors { code field message } }\n  }\n": typeof types.TenantResumeDocument,
    "\n  mutation TenantCreate($input: TenantCreateInput!) {\n    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }\n  }\n": typeof types.TenantCreateDocument,
    "\n  query TenantDetail($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone version createdAt\n      subscription { pinned since tier { id key name } tierVersion { id number } }\n      effectiveLimits {\n        source\n        live { used remaining resetAt }\n        limit { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }\n      }\n      members { id email name role }\n    }\n  }\n": typeof types.TenantDetailDocument,
    "\n  query Tenants($first: Int!, $after: String, $search: String, $tier: String, $status: TenantStatus) {\n    tenants(first: $first, after: $after, search: $search, tier: $tier, status: $status) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id key name status timeZone createdAt\n        subscription { pinned tier { id key name } tierVersion { id number } }\n      }\n    }\n  }\n": typeof types.TenantsDocument,
    "\n  query TierChoices {\n    tiers(first: 100) { nodes { id key name rank published { id number } } }\n  }\n": typeof types.TierChoicesDocument,
    "\n  mutation TierDraftSave($input: TierDraftSaveInput!) {\n    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierDraftSaveDocument,
    "\n  mutation TierPublish($input: TierPublishInput!) {\n    tierPublish(input: $input) {\n      changeId\n      tier { id version published { id number } }\n      userErrors { code field message }\n    }\n  }\n": typeof types.TierPublishDocument,
    "\n  mutation TierCreate($input: TierCreateInput!) {\n    tierCreate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n": typeof types.TierCreateDocument,
    "\n  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {\n    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": typeof types.TierDraftDiscardDocument,
    "\n  query TierDetail($key: String!) {\n    tier(key: $key) { ...TierDetailFields }\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n\n  fragment TierDetailFields on Tier {\n    id key name description rank version tenantCount\n    published { ...TierVersionFields }\n    draft { ...TierVersionFields }\n    versions { ...TierVersionFields }\n  }\n\n  fragment TierVersionFields on TierVersion {\n    id number status publishedAt publishedBy note\n    limits { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }\n  }\n": typeof types.TierDetailDocument,
    "\n  query Tiers {\n    tiers(first: 100) {\n      totalCount\n      nodes {\n        id key name description rank tenantCount\n        draft { id number }\n        published {\n          id number publishedAt\n          limits {\n            id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary\n          }\n        }\n      }\n    }\n  }\n": typeof types.TiersDocument,
    "\n  query Viewer {\n    viewer { id name email role permissions }\n  }\n": typeof types.ViewerDocument,
};
const documents: Documents = {
    "\n  mutation ApiCreate($input: ApiCreateInput!) {\n    apiCreate(input: $input) { api { id key } userErrors { code field message } }\n  }\n": types.ApiCreateDocument,
    "\n  query Api($key: String!) {\n    api(key: $key) {\n      id key name description unknownOperations version createdAt\n      operations { id name description cost }\n    }\n    tiers(first: 100) {\n      nodes { id key name rank published { id limits { id name apiKey operations per limit windowMs summary } } }\n    }\n  }\n": types.ApiDocument,
    "\n  query Apis {\n    apis(first: 100) {\n      totalCount\n      nodes { id key name description unknownOperations operations { id name cost } }\n    }\n  }\n": types.ApisDocument,
    "\n  mutation OperationCreate($input: OperationCreateInput!) {\n    operationCreate(input: $input) { api { id key version } userErrors { code field message } }\n  }\n": types.OperationCreateDocument,
    "\n  query AuditEntries($first: Int!, $after: String, $tenant: String) {\n    auditEntries(first: $first, after: $after, tenant: $tenant) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id at actor actorKind action entity entityId tenantKey before after reason requestId }\n    }\n  }\n": types.AuditEntriesDocument,
    "\n  query LiveExample {\n    tenants(first: 1, status: ACTIVE) { nodes { key } }\n    apis(first: 10) { nodes { key operations { name } } }\n  }\n": types.LiveExampleDocument,
    "\n  query DecisionNodes {\n    decisionNodes {\n      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale\n      nack { revision reason }\n    }\n    currentRevision { number publishedAt hash }\n  }\n": types.DecisionNodesDocument,
    "\n  query Propagation($changeId: ID!) {\n    propagation(changeId: $changeId) {\n      changeId state revision publishedAt liveNodes totalNodes slowestMs\n      nodes { nodeId live latencyMs nack { revision reason } }\n    }\n  }\n": types.PropagationDocument,
    "\n  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {\n    serviceTokenCreate(input: $input) { token userErrors { code field message } }\n  }\n": types.ServiceTokenCreateDocument,
    "\n  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {\n    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }\n  }\n": types.ServiceTokenRevokeDocument,
    "\n  query ServiceTokens {\n    serviceTokens { id name publicId lastFour scopes createdAt expiresAt revokedAt }\n  }\n": types.ServiceTokensDocument,
    "\n  mutation TenantTierChange($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantTierChangeDocument,
    "\n  mutation TenantSuspend($input: TenantStatusInput!) {\n    tenantSuspend(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantSuspendDocument,
    "\n  mutation TenantResume($input: TenantStatusInput!) {\n    tenantResume(input: $input) { changeId userErrors { code field message } }\n  }\n": types.TenantResumeDocument,
    "\n  mutation TenantCreate($input: TenantCreateInput!) {\n    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }\n  }\n": types.TenantCreateDocument,
    "\n  query TenantDetail($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone version createdAt\n      subscription { pinned since tier { id key name } tierVersion { id number } }\n      effectiveLimits {\n        source\n        live { used remaining resetAt }\n        limit { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }\n      }\n      members { id email name role }\n    }\n  }\n": types.TenantDetailDocument,
    "\n  query Tenants($first: Int!, $after: String, $search: String, $tier: String, $status: TenantStatus) {\n    tenants(first: $first, after: $after, search: $search, tier: $tier, status: $status) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id key name status timeZone createdAt\n        subscription { pinned tier { id key name } tierVersion { id number } }\n      }\n    }\n  }\n": types.TenantsDocument,
    "\n  query TierChoices {\n    tiers(first: 100) { nodes { id key name rank published { id number } } }\n  }\n": types.TierChoicesDocument,
    "\n  mutation TierDraftSave($input: TierDraftSaveInput!) {\n    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierDraftSaveDocument,
    "\n  mutation TierPublish($input: TierPublishInput!) {\n    tierPublish(input: $input) {\n      changeId\n      tier { id version published { id number } }\n      userErrors { code field message }\n    }\n  }\n": types.TierPublishDocument,
    "\n  mutation TierCreate($input: TierCreateInput!) {\n    tierCreate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n": types.TierCreateDocument,
    "\n  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {\n    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }\n  }\n": types.TierDraftDiscardDocument,
    "\n  query TierDetail($key: String!) {\n    tier(key: $key) { ...TierDetailFields }\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n\n  fragment TierDetailFields on Tier {\n    id key name description rank version tenantCount\n    published { ...TierVersionFields }\n    draft { ...TierVersionFields }\n    versions { ...TierVersionFields }\n  }\n\n  fragment TierVersionFields on TierVersion {\n    id number status publishedAt publishedBy note\n    limits { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }\n  }\n": types.TierDetailDocument,
    "\n  query Tiers {\n    tiers(first: 100) {\n      totalCount\n      nodes {\n        id key name description rank tenantCount\n        draft { id number }\n        published {\n          id number publishedAt\n          limits {\n            id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary\n          }\n        }\n      }\n    }\n  }\n": types.TiersDocument,
    "\n  query Viewer {\n    viewer { id name email role permissions }\n  }\n": types.ViewerDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApiCreate($input: ApiCreateInput!) {\n    apiCreate(input: $input) { api { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ApiCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Api($key: String!) {\n    api(key: $key) {\n      id key name description unknownOperations version createdAt\n      operations { id name description cost }\n    }\n    tiers(first: 100) {\n      nodes { id key name rank published { id limits { id name apiKey operations per limit windowMs summary } } }\n    }\n  }\n"): typeof import('./graphql.js').ApiDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Apis {\n    apis(first: 100) {\n      totalCount\n      nodes { id key name description unknownOperations operations { id name cost } }\n    }\n  }\n"): typeof import('./graphql.js').ApisDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OperationCreate($input: OperationCreateInput!) {\n    operationCreate(input: $input) { api { id key version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').OperationCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditEntries($first: Int!, $after: String, $tenant: String) {\n    auditEntries(first: $first, after: $after, tenant: $tenant) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes { id at actor actorKind action entity entityId tenantKey before after reason requestId }\n    }\n  }\n"): typeof import('./graphql.js').AuditEntriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LiveExample {\n    tenants(first: 1, status: ACTIVE) { nodes { key } }\n    apis(first: 10) { nodes { key operations { name } } }\n  }\n"): typeof import('./graphql.js').LiveExampleDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DecisionNodes {\n    decisionNodes {\n      nodeId epoch version startedAt seenAt revision applyLatencyMs degraded stale\n      nack { revision reason }\n    }\n    currentRevision { number publishedAt hash }\n  }\n"): typeof import('./graphql.js').DecisionNodesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Propagation($changeId: ID!) {\n    propagation(changeId: $changeId) {\n      changeId state revision publishedAt liveNodes totalNodes slowestMs\n      nodes { nodeId live latencyMs nack { revision reason } }\n    }\n  }\n"): typeof import('./graphql.js').PropagationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {\n    serviceTokenCreate(input: $input) { token userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ServiceTokenCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {\n    serviceTokenRevoke(input: $input) { serviceToken { id revokedAt } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').ServiceTokenRevokeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ServiceTokens {\n    serviceTokens { id name publicId lastFour scopes createdAt expiresAt revokedAt }\n  }\n"): typeof import('./graphql.js').ServiceTokensDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantTierChange($input: TenantTierChangeInput!) {\n    tenantTierChange(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantTierChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantSuspend($input: TenantStatusInput!) {\n    tenantSuspend(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantSuspendDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantResume($input: TenantStatusInput!) {\n    tenantResume(input: $input) { changeId userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantResumeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TenantCreate($input: TenantCreateInput!) {\n    tenantCreate(input: $input) { changeId tenant { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TenantCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantDetail($key: String!) {\n    tenant(key: $key) {\n      id key name status timeZone version createdAt\n      subscription { pinned since tier { id key name } tierVersion { id number } }\n      effectiveLimits {\n        source\n        live { used remaining resetAt }\n        limit { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }\n      }\n      members { id email name role }\n    }\n  }\n"): typeof import('./graphql.js').TenantDetailDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Tenants($first: Int!, $after: String, $search: String, $tier: String, $status: TenantStatus) {\n    tenants(first: $first, after: $after, search: $search, tier: $tier, status: $status) {\n      totalCount\n      pageInfo { hasNextPage endCursor }\n      nodes {\n        id key name status timeZone createdAt\n        subscription { pinned tier { id key name } tierVersion { id number } }\n      }\n    }\n  }\n"): typeof import('./graphql.js').TenantsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TierChoices {\n    tiers(first: 100) { nodes { id key name rank published { id number } } }\n  }\n"): typeof import('./graphql.js').TierChoicesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierDraftSave($input: TierDraftSaveInput!) {\n    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierDraftSaveDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierPublish($input: TierPublishInput!) {\n    tierPublish(input: $input) {\n      changeId\n      tier { id version published { id number } }\n      userErrors { code field message }\n    }\n  }\n"): typeof import('./graphql.js').TierPublishDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierCreate($input: TierCreateInput!) {\n    tierCreate(input: $input) { tier { id key } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierCreateDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {\n    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }\n  }\n"): typeof import('./graphql.js').TierDraftDiscardDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TierDetail($key: String!) {\n    tier(key: $key) { ...TierDetailFields }\n    apis(first: 100) { nodes { id key name operations { id name } } }\n  }\n\n  fragment TierDetailFields on Tier {\n    id key name description rank version tenantCount\n    published { ...TierVersionFields }\n    draft { ...TierVersionFields }\n    versions { ...TierVersionFields }\n  }\n\n  fragment TierVersionFields on TierVersion {\n    id number status publishedAt publishedBy note\n    limits { id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary }\n  }\n"): typeof import('./graphql.js').TierDetailDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Tiers {\n    tiers(first: 100) {\n      totalCount\n      nodes {\n        id key name description rank tenantCount\n        draft { id number }\n        published {\n          id number publishedAt\n          limits {\n            id name apiKey operations per algorithm limit windowMs burst alignment onUnavailable summary\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.js').TiersDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer {\n    viewer { id name email role permissions }\n  }\n"): typeof import('./graphql.js').ViewerDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
