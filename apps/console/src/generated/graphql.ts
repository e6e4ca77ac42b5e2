/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What kind of caller made a change. */
export type ActorKind =
  /** Tollgate itself. */
  | 'SYSTEM'
  /** A service token. */
  | 'TOKEN'
  /** A person who was signed in. */
  | 'USER';

/** How a limit counts. */
export type Algorithm =
  /** A counter per window. */
  | 'FIXED_WINDOW'
  /** Evenly spaced requests, with a burst. */
  | 'GCRA';

/** When a fixed window starts. */
export type Alignment =
  /** At multiples of its length, counted from the Unix epoch in UTC. */
  | 'CLOCK'
  /** At the first request after the last window. */
  | 'FIRST_REQUEST';

/** A new API. */
export type ApiCreateInput = {
  /** What it is, for people. */
  description?: string | null | undefined;
  /** Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Name for people. */
  name: string;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** What operations that nobody configured get. */
  unknownOperations?: UnknownOperations | null | undefined;
};

/** One limit of a draft. */
export type LimitInput = {
  /** How it counts. */
  algorithm: Algorithm;
  /** Only FIXED_WINDOW; CLOCK when left out. */
  alignment?: Alignment | null | undefined;
  /** Key of the API that it protects. */
  apiKey: string;
  /** Only GCRA; 0 when left out. */
  burst?: number | null | undefined;
  /** How much passes per window, 1 or more. */
  limit: number;
  /** Name, unique within its API: a–z, 0–9 and inner hyphens. */
  name: string;
  /** What nodes answer while Redis cannot be asked. */
  onUnavailable?: OnUnavailable | null | undefined;
  /** Operations that it covers; empty: every operation. */
  operations?: Array<string>;
  /** Dimensions that it counts by besides the tenant. */
  per?: Array<string>;
  /** Length of the window, milliseconds; 366 days at most. */
  windowMs: number;
};

/** Where an effective limit comes from. */
export type LimitSource =
  /** The tier version that the tenant is on. */
  | 'TIER';

/** What a member may do in their own tenant. */
export type MemberRole =
  /** Buys and sees invoices. */
  | 'BUYER'
  /** Manages keys and sees usage. */
  | 'DEVELOPER'
  /** Everything. */
  | 'OWNER'
  /** Sees, changes nothing. */
  | 'VIEWER';

/** What nodes answer while Redis cannot be asked. */
export type OnUnavailable =
  /** Everything passes. */
  | 'ALLOW'
  /** Everything is refused. */
  | 'DENY'
  /** Each node spends its part of the limit. */
  | 'SHARE';

/** A new operation of an API. */
export type OperationCreateInput = {
  /** Key of its API. */
  apiKey: string;
  /** What one request takes out of a limit, 1 or more. */
  cost?: number | null | undefined;
  /** What it does, for people. */
  description?: string | null | undefined;
  /** Version of the API that the caller has seen. */
  expectedVersion: number;
  /** Permanent name: a letter, then letters, digits, ".", "_" or "-". */
  name: string;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
};

/** What an operator may do. */
export type OperatorRole =
  /** Sees everything, changes nothing. */
  | 'AUDITOR'
  /** What tenants are on. */
  | 'BILLING'
  /** APIs, tiers and limits. */
  | 'LIMITS_ADMIN'
  /** Everything. */
  | 'OWNER'
  /** Tenants. */
  | 'SUPPORT'
  /** Sees policy and traffic, changes nothing. */
  | 'VIEWER';

/** How far a change has travelled. */
export type PropagationState =
  /** Every node that is up runs it. */
  | 'LIVE'
  /** Committed, not yet published to nodes. */
  | 'PENDING'
  /** Published; not every node runs it yet. */
  | 'PUBLISHED'
  /** At least one node refused it and keeps the last good policy. */
  | 'REFUSED';

/** A new service token. */
export type ServiceTokenCreateInput = {
  /** When it stops working; never when left out. */
  expiresAt?: string | null | undefined;
  /** What it is for. */
  name: string;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** `decide`: may call the decision API. `admin`: may use this GraphQL API. At least one. */
  scopes: Array<string>;
};

/** Which service token to revoke. */
export type ServiceTokenRevokeInput = {
  /** Id of the token. */
  id: string | number;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
};

/** A new tenant and the tier that it starts on. */
export type TenantCreateInput = {
  /** Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Name for people. */
  name: string;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** Key of a tier with a published version. */
  tierKey: string;
  /** IANA name of its time zone. */
  timeZone?: string | null | undefined;
};

/** Whether a tenant is served. */
export type TenantStatus =
  /** Its limits apply. */
  | 'ACTIVE'
  /** Every request of it is refused, marked BLOCKED. */
  | 'SUSPENDED';

/** Which tenant to suspend or resume. */
export type TenantStatusInput = {
  /** Version of the tenant that the caller has seen. */
  expectedVersion: number;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** A move of a tenant to another tier. */
export type TenantTierChangeInput = {
  /** Version of the tenant that the caller has seen. */
  expectedVersion: number;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** Key of a tier with a published version. */
  tierKey: string;
};

/** A new tier, still without limits. */
export type TierCreateInput = {
  /** What it offers, for people. */
  description?: string | null | undefined;
  /** Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Name for people. */
  name: string;
  /** Place in the order of tiers, lowest first. */
  rank?: number | null | undefined;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
};

/** Which draft to drop. */
export type TierDraftDiscardInput = {
  /** Version of the tier that the caller has seen. */
  expectedVersion: number;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** The whole of a draft: what is left out is removed. */
export type TierDraftSaveInput = {
  /** Version of the tier that the caller has seen. */
  expectedVersion: number;
  /** All limits of the draft, in order. */
  limits: Array<LimitInput>;
  /** What the version changes, for people. */
  note?: string | null | undefined;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** Which draft to put in force. */
export type TierPublishInput = {
  /** Version of the tier that the caller has seen. */
  expectedVersion: number;
  /** Why, for the audit trail. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** Where a tier version is in its life. */
export type TierVersionStatus =
  /** Replaced by a later version. */
  | 'ARCHIVED'
  /** Being edited; nobody is on it. */
  | 'DRAFT'
  /** In force; it never changes any more. */
  | 'PUBLISHED';

/** What a request for an operation that nobody configured gets. */
export type UnknownOperations =
  /** It passes, marked NO_LIMIT. */
  | 'ALLOW'
  /** It is refused, marked BLOCKED. */
  | 'REFUSE';

/** What kind of thing stopped a mutation. */
export type UserErrorCode =
  /** Someone changed it since `expectedVersion`; the answer holds the current object. */
  | 'CONFLICT'
  /** A value breaks a rule. */
  | 'INVALID'
  /** Something else depends on it. */
  | 'IN_USE'
  /** There is no draft, or it has no limits. */
  | 'NOTHING_TO_PUBLISH'
  /** What the input names does not exist. */
  | 'NOT_FOUND'
  /** The name is in use already. */
  | 'TAKEN';

export type ApiCreateMutationVariables = Exact<{
  input: ApiCreateInput;
}>;


export type ApiCreateMutation = { apiCreate: { api: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiQueryVariables = Exact<{
  key: string;
}>;


export type ApiQuery = { api: { id: string, key: string, name: string, description: string, unknownOperations: UnknownOperations, version: number, createdAt: string, operations: Array<{ id: string, name: string, description: string, cost: number }> } | null, tiers: { nodes: Array<{ id: string, key: string, name: string, rank: number, published: { id: string, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, limit: number, windowMs: number, summary: string }> } | null }> } };

export type ApisQueryVariables = Exact<{ [key: string]: never; }>;


export type ApisQuery = { apis: { totalCount: number, nodes: Array<{ id: string, key: string, name: string, description: string, unknownOperations: UnknownOperations, operations: Array<{ id: string, name: string, cost: number }> }> } };

export type OperationCreateMutationVariables = Exact<{
  input: OperationCreateInput;
}>;


export type OperationCreateMutation = { operationCreate: { api: { id: string, key: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type AuditEntriesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  tenant?: string | null | undefined;
}>;


export type AuditEntriesQuery = { auditEntries: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, at: string, actor: string, actorKind: ActorKind, action: string, entity: string, entityId: string, tenantKey: string | null, before: unknown, after: unknown, reason: string | null, requestId: string | null }> } };

export type LiveExampleQueryVariables = Exact<{ [key: string]: never; }>;


export type LiveExampleQuery = { tenants: { nodes: Array<{ key: string }> }, apis: { nodes: Array<{ key: string, operations: Array<{ name: string }> }> } };

export type DecisionNodesQueryVariables = Exact<{ [key: string]: never; }>;


export type DecisionNodesQuery = { decisionNodes: Array<{ nodeId: string, epoch: string, version: string, startedAt: string, seenAt: string, revision: number, applyLatencyMs: number | null, degraded: boolean, stale: boolean, nack: { revision: number, reason: string } | null }>, currentRevision: { number: number, publishedAt: string, hash: string } | null };

export type PropagationQueryVariables = Exact<{
  changeId: string | number;
}>;


export type PropagationQuery = { propagation: { changeId: string, state: PropagationState, revision: number | null, publishedAt: string | null, liveNodes: number, totalNodes: number, slowestMs: number | null, nodes: Array<{ nodeId: string, live: boolean, latencyMs: number | null, nack: { revision: number, reason: string } | null }> } | null };

export type ServiceTokenCreateMutationVariables = Exact<{
  input: ServiceTokenCreateInput;
}>;


export type ServiceTokenCreateMutation = { serviceTokenCreate: { token: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ServiceTokenRevokeMutationVariables = Exact<{
  input: ServiceTokenRevokeInput;
}>;


export type ServiceTokenRevokeMutation = { serviceTokenRevoke: { serviceToken: { id: string, revokedAt: string | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ServiceTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceTokensQuery = { serviceTokens: Array<{ id: string, name: string, publicId: string, lastFour: string, scopes: Array<string>, createdAt: string, expiresAt: string | null, revokedAt: string | null }> };

export type TenantTierChangeMutationVariables = Exact<{
  input: TenantTierChangeInput;
}>;


export type TenantTierChangeMutation = { tenantTierChange: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantSuspendMutationVariables = Exact<{
  input: TenantStatusInput;
}>;


export type TenantSuspendMutation = { tenantSuspend: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantResumeMutationVariables = Exact<{
  input: TenantStatusInput;
}>;


export type TenantResumeMutation = { tenantResume: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantCreateMutationVariables = Exact<{
  input: TenantCreateInput;
}>;


export type TenantCreateMutation = { tenantCreate: { changeId: string | null, tenant: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantDetailQueryVariables = Exact<{
  key: string;
}>;


export type TenantDetailQuery = { tenant: { id: string, key: string, name: string, status: TenantStatus, timeZone: string, version: number, createdAt: string, subscription: { pinned: boolean, since: string, tier: { id: string, key: string, name: string }, tierVersion: { id: string, number: number } }, effectiveLimits: Array<{ source: LimitSource, live: { used: number, remaining: number, resetAt: string } | null, limit: { id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string } }>, members: Array<{ id: string, email: string, name: string, role: MemberRole }> } | null };

export type TenantsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  search?: string | null | undefined;
  tier?: string | null | undefined;
  status?: TenantStatus | null | undefined;
}>;


export type TenantsQuery = { tenants: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, key: string, name: string, status: TenantStatus, timeZone: string, createdAt: string, subscription: { pinned: boolean, tier: { id: string, key: string, name: string }, tierVersion: { id: string, number: number } } }> } };

export type TierChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type TierChoicesQuery = { tiers: { nodes: Array<{ id: string, key: string, name: string, rank: number, published: { id: string, number: number } | null }> } };

export type TierDraftSaveMutationVariables = Exact<{
  input: TierDraftSaveInput;
}>;


export type TierDraftSaveMutation = { tierDraftSave: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierPublishMutationVariables = Exact<{
  input: TierPublishInput;
}>;


export type TierPublishMutation = { tierPublish: { changeId: string | null, tier: { id: string, version: number, published: { id: string, number: number } | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierCreateMutationVariables = Exact<{
  input: TierCreateInput;
}>;


export type TierCreateMutation = { tierCreate: { tier: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierDraftDiscardMutationVariables = Exact<{
  input: TierDraftDiscardInput;
}>;


export type TierDraftDiscardMutation = { tierDraftDiscard: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierDetailQueryVariables = Exact<{
  key: string;
}>;


export type TierDetailQuery = { tier: { id: string, key: string, name: string, description: string, rank: number, version: number, tenantCount: number, published: { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> } | null, draft: { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> } | null, versions: Array<{ id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> }> } | null, apis: { nodes: Array<{ id: string, key: string, name: string, operations: Array<{ id: string, name: string }> }> } };

export type TierDetailFieldsFragment = { id: string, key: string, name: string, description: string, rank: number, version: number, tenantCount: number, published: { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> } | null, draft: { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> } | null, versions: Array<{ id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> }> };

export type TierVersionFieldsFragment = { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> };

export type TiersQueryVariables = Exact<{ [key: string]: never; }>;


export type TiersQuery = { tiers: { totalCount: number, nodes: Array<{ id: string, key: string, name: string, description: string, rank: number, tenantCount: number, draft: { id: string, number: number } | null, published: { id: string, number: number, publishedAt: string | null, limits: Array<{ id: string, name: string, apiKey: string, operations: Array<string>, per: Array<string>, algorithm: Algorithm, limit: number, windowMs: number, burst: number | null, alignment: Alignment | null, onUnavailable: OnUnavailable, summary: string }> } | null }> } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, name: string, email: string | null, role: OperatorRole, permissions: Array<string> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const TierVersionFieldsFragmentDoc = new TypedDocumentString(`
    fragment TierVersionFields on TierVersion {
  id
  number
  status
  publishedAt
  publishedBy
  note
  limits {
    id
    name
    apiKey
    operations
    per
    algorithm
    limit
    windowMs
    burst
    alignment
    onUnavailable
    summary
  }
}
    `, {"fragmentName":"TierVersionFields"}) as unknown as TypedDocumentString<TierVersionFieldsFragment, unknown>;
export const TierDetailFieldsFragmentDoc = new TypedDocumentString(`
    fragment TierDetailFields on Tier {
  id
  key
  name
  description
  rank
  version
  tenantCount
  published {
    ...TierVersionFields
  }
  draft {
    ...TierVersionFields
  }
  versions {
    ...TierVersionFields
  }
}
    fragment TierVersionFields on TierVersion {
  id
  number
  status
  publishedAt
  publishedBy
  note
  limits {
    id
    name
    apiKey
    operations
    per
    algorithm
    limit
    windowMs
    burst
    alignment
    onUnavailable
    summary
  }
}`, {"fragmentName":"TierDetailFields"}) as unknown as TypedDocumentString<TierDetailFieldsFragment, unknown>;
export const ApiCreateDocument = new TypedDocumentString(`
    mutation ApiCreate($input: ApiCreateInput!) {
  apiCreate(input: $input) {
    api {
      id
      key
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ApiCreateMutation, ApiCreateMutationVariables>;
export const ApiDocument = new TypedDocumentString(`
    query Api($key: String!) {
  api(key: $key) {
    id
    key
    name
    description
    unknownOperations
    version
    createdAt
    operations {
      id
      name
      description
      cost
    }
  }
  tiers(first: 100) {
    nodes {
      id
      key
      name
      rank
      published {
        id
        limits {
          id
          name
          apiKey
          operations
          per
          limit
          windowMs
          summary
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ApiQuery, ApiQueryVariables>;
export const ApisDocument = new TypedDocumentString(`
    query Apis {
  apis(first: 100) {
    totalCount
    nodes {
      id
      key
      name
      description
      unknownOperations
      operations {
        id
        name
        cost
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ApisQuery, ApisQueryVariables>;
export const OperationCreateDocument = new TypedDocumentString(`
    mutation OperationCreate($input: OperationCreateInput!) {
  operationCreate(input: $input) {
    api {
      id
      key
      version
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperationCreateMutation, OperationCreateMutationVariables>;
export const AuditEntriesDocument = new TypedDocumentString(`
    query AuditEntries($first: Int!, $after: String, $tenant: String) {
  auditEntries(first: $first, after: $after, tenant: $tenant) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      at
      actor
      actorKind
      action
      entity
      entityId
      tenantKey
      before
      after
      reason
      requestId
    }
  }
}
    `) as unknown as TypedDocumentString<AuditEntriesQuery, AuditEntriesQueryVariables>;
export const LiveExampleDocument = new TypedDocumentString(`
    query LiveExample {
  tenants(first: 1, status: ACTIVE) {
    nodes {
      key
    }
  }
  apis(first: 10) {
    nodes {
      key
      operations {
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<LiveExampleQuery, LiveExampleQueryVariables>;
export const DecisionNodesDocument = new TypedDocumentString(`
    query DecisionNodes {
  decisionNodes {
    nodeId
    epoch
    version
    startedAt
    seenAt
    revision
    applyLatencyMs
    degraded
    stale
    nack {
      revision
      reason
    }
  }
  currentRevision {
    number
    publishedAt
    hash
  }
}
    `) as unknown as TypedDocumentString<DecisionNodesQuery, DecisionNodesQueryVariables>;
export const PropagationDocument = new TypedDocumentString(`
    query Propagation($changeId: ID!) {
  propagation(changeId: $changeId) {
    changeId
    state
    revision
    publishedAt
    liveNodes
    totalNodes
    slowestMs
    nodes {
      nodeId
      live
      latencyMs
      nack {
        revision
        reason
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PropagationQuery, PropagationQueryVariables>;
export const ServiceTokenCreateDocument = new TypedDocumentString(`
    mutation ServiceTokenCreate($input: ServiceTokenCreateInput!) {
  serviceTokenCreate(input: $input) {
    token
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ServiceTokenCreateMutation, ServiceTokenCreateMutationVariables>;
export const ServiceTokenRevokeDocument = new TypedDocumentString(`
    mutation ServiceTokenRevoke($input: ServiceTokenRevokeInput!) {
  serviceTokenRevoke(input: $input) {
    serviceToken {
      id
      revokedAt
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ServiceTokenRevokeMutation, ServiceTokenRevokeMutationVariables>;
export const ServiceTokensDocument = new TypedDocumentString(`
    query ServiceTokens {
  serviceTokens {
    id
    name
    publicId
    lastFour
    scopes
    createdAt
    expiresAt
    revokedAt
  }
}
    `) as unknown as TypedDocumentString<ServiceTokensQuery, ServiceTokensQueryVariables>;
export const TenantTierChangeDocument = new TypedDocumentString(`
    mutation TenantTierChange($input: TenantTierChangeInput!) {
  tenantTierChange(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantTierChangeMutation, TenantTierChangeMutationVariables>;
export const TenantSuspendDocument = new TypedDocumentString(`
    mutation TenantSuspend($input: TenantStatusInput!) {
  tenantSuspend(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantSuspendMutation, TenantSuspendMutationVariables>;
export const TenantResumeDocument = new TypedDocumentString(`
    mutation TenantResume($input: TenantStatusInput!) {
  tenantResume(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantResumeMutation, TenantResumeMutationVariables>;
export const TenantCreateDocument = new TypedDocumentString(`
    mutation TenantCreate($input: TenantCreateInput!) {
  tenantCreate(input: $input) {
    changeId
    tenant {
      id
      key
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantCreateMutation, TenantCreateMutationVariables>;
export const TenantDetailDocument = new TypedDocumentString(`
    query TenantDetail($key: String!) {
  tenant(key: $key) {
    id
    key
    name
    status
    timeZone
    version
    createdAt
    subscription {
      pinned
      since
      tier {
        id
        key
        name
      }
      tierVersion {
        id
        number
      }
    }
    effectiveLimits {
      source
      live {
        used
        remaining
        resetAt
      }
      limit {
        id
        name
        apiKey
        operations
        per
        algorithm
        limit
        windowMs
        burst
        alignment
        onUnavailable
        summary
      }
    }
    members {
      id
      email
      name
      role
    }
  }
}
    `) as unknown as TypedDocumentString<TenantDetailQuery, TenantDetailQueryVariables>;
export const TenantsDocument = new TypedDocumentString(`
    query Tenants($first: Int!, $after: String, $search: String, $tier: String, $status: TenantStatus) {
  tenants(
    first: $first
    after: $after
    search: $search
    tier: $tier
    status: $status
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      key
      name
      status
      timeZone
      createdAt
      subscription {
        pinned
        tier {
          id
          key
          name
        }
        tierVersion {
          id
          number
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TenantsQuery, TenantsQueryVariables>;
export const TierChoicesDocument = new TypedDocumentString(`
    query TierChoices {
  tiers(first: 100) {
    nodes {
      id
      key
      name
      rank
      published {
        id
        number
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TierChoicesQuery, TierChoicesQueryVariables>;
export const TierDraftSaveDocument = new TypedDocumentString(`
    mutation TierDraftSave($input: TierDraftSaveInput!) {
  tierDraftSave(input: $input) {
    tier {
      id
      version
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TierDraftSaveMutation, TierDraftSaveMutationVariables>;
export const TierPublishDocument = new TypedDocumentString(`
    mutation TierPublish($input: TierPublishInput!) {
  tierPublish(input: $input) {
    changeId
    tier {
      id
      version
      published {
        id
        number
      }
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TierPublishMutation, TierPublishMutationVariables>;
export const TierCreateDocument = new TypedDocumentString(`
    mutation TierCreate($input: TierCreateInput!) {
  tierCreate(input: $input) {
    tier {
      id
      key
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TierCreateMutation, TierCreateMutationVariables>;
export const TierDraftDiscardDocument = new TypedDocumentString(`
    mutation TierDraftDiscard($input: TierDraftDiscardInput!) {
  tierDraftDiscard(input: $input) {
    tier {
      id
      version
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TierDraftDiscardMutation, TierDraftDiscardMutationVariables>;
export const TierDetailDocument = new TypedDocumentString(`
    query TierDetail($key: String!) {
  tier(key: $key) {
    ...TierDetailFields
  }
  apis(first: 100) {
    nodes {
      id
      key
      name
      operations {
        id
        name
      }
    }
  }
}
    fragment TierDetailFields on Tier {
  id
  key
  name
  description
  rank
  version
  tenantCount
  published {
    ...TierVersionFields
  }
  draft {
    ...TierVersionFields
  }
  versions {
    ...TierVersionFields
  }
}
fragment TierVersionFields on TierVersion {
  id
  number
  status
  publishedAt
  publishedBy
  note
  limits {
    id
    name
    apiKey
    operations
    per
    algorithm
    limit
    windowMs
    burst
    alignment
    onUnavailable
    summary
  }
}`) as unknown as TypedDocumentString<TierDetailQuery, TierDetailQueryVariables>;
export const TiersDocument = new TypedDocumentString(`
    query Tiers {
  tiers(first: 100) {
    totalCount
    nodes {
      id
      key
      name
      description
      rank
      tenantCount
      draft {
        id
        number
      }
      published {
        id
        number
        publishedAt
        limits {
          id
          name
          apiKey
          operations
          per
          algorithm
          limit
          windowMs
          burst
          alignment
          onUnavailable
          summary
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TiersQuery, TiersQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    id
    name
    email
    role
    permissions
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;