/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Kind of caller. */
export type ActorKind =
  /** Tollgate itself. */
  | 'SYSTEM'
  /** A service token. */
  | 'TOKEN'
  /** A signed-in user. */
  | 'USER';

/** Effect of an adjustment. Set only the fields of its kind. */
export type AdjustmentEffectInput = {
  /** SET, GCRA: the burst; omitted: scaled with the limit. */
  burst?: number | null | undefined;
  /** SET, TOKEN_BUCKET: the capacity; omitted: scaled with the limit. */
  capacity?: number | null | undefined;
  /** Kind of effect. */
  kind: EffectKind;
  /** SET: the limit; 0 blocks, in an override only. */
  limit?: number | null | undefined;
  /** MULTIPLY: percentage of the limit, 1 to 1,000,000. */
  percent?: number | null | undefined;
  /** SET, LEAKY_BUCKET: the queue length; omitted: scaled with the limit. */
  queue?: number | null | undefined;
  /** ADD: units to add. */
  units?: number | null | undefined;
};

/** The setting to remove. */
export type AlertThresholdRemoveInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Id of the setting. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Thresholds at which to alert a tenant. */
export type AlertThresholdSetInput = {
  /** Key of the API; all APIs by default. */
  apiKey?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Name of the limit; all limits of the API by default. */
  limitName?: string | null | undefined;
  /** Percentages from 1 to 100; at most 8 different ones over all settings of the tenant. */
  percents: Array<number>;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** How a limit counts. */
export type Algorithm =
  /** Requests running at the same time. */
  | 'CONCURRENCY'
  /** One counter per window. */
  | 'FIXED_WINDOW'
  /** Evenly spaced requests, with a burst. */
  | 'GCRA'
  /** A queue that drains at a constant rate; allowed requests carry a delay. */
  | 'LEAKY_BUCKET'
  /** One counter per calendar period, in the tenant's time zone. */
  | 'QUOTA'
  /** Counters of sub-windows, or an estimate from two windows. */
  | 'SLIDING_WINDOW_COUNTER'
  /** The time of every request in the last window: exact. */
  | 'SLIDING_WINDOW_LOG'
  /** A bucket that refills continuously or once per window. */
  | 'TOKEN_BUCKET';

/** When a fixed window starts. */
export type Alignment =
  /** At multiples of its length, counted from the Unix epoch in UTC. */
  | 'CLOCK'
  /** At the first request after the last window. */
  | 'FIRST_REQUEST';

/** A new API. */
export type ApiCreateInput = {
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Styles of the rate limit response headers; empty: no headers. */
  headerStyles?: Array<HeaderStyle> | null | undefined;
  /** Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Display name. */
  name: string;
  /** Names of operations to create with it, each with cost 1 and normal priority. */
  operations?: Array<string> | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Labels for selecting it, 20 at most. */
  tags?: Array<string> | null | undefined;
  /** How requests for operations that are not registered are decided. */
  unknownOperations?: UnknownOperations | null | undefined;
};

/** All default limits of an API: limits that are omitted are removed. */
export type ApiDefaultLimitsSetInput = {
  /** Key of the API. */
  apiKey: string;
  /** What happens to existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** The limits, in order. */
  limits: Array<DefaultLimitInput>;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The API to delete. */
export type ApiDeleteInput = {
  /** Key of the API. */
  apiKey: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A new API key. */
export type ApiKeyCreateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** When the key expires; never by default. */
  expiresAt?: string | null | undefined;
  /** Environment of the key. */
  mode?: ApiKeyMode | null | undefined;
  /** Display name, such as its purpose. */
  name: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** APIs or `api/operation` that the key may call; all by default. */
  scopes?: Array<string> | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Environment of an API key, visible in its prefix. Both are limited and counted in the same way. */
export type ApiKeyMode =
  /** Production: `tgk_live_…`. */
  | 'LIVE'
  /** Development and tests: `tgk_test_…`. */
  | 'TEST';

/** The API key to revoke. */
export type ApiKeyRevokeInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the API key. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The API key to rotate. */
export type ApiKeyRotateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the API key. */
  id: string | number;
  /** Hours for which the previous secret stays valid, 0 to 720; 0 revokes it immediately. */
  overlapHours?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Changes to an API; omitted fields keep their values. */
export type ApiUpdateInput = {
  /** Key of the API. */
  apiKey: string;
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Styles of the rate limit response headers; empty: no headers. */
  headerStyles?: Array<HeaderStyle> | null | undefined;
  /** Display name. */
  name?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Labels for selecting it, 20 at most. */
  tags?: Array<string> | null | undefined;
  /** How requests for operations that are not registered are decided. */
  unknownOperations?: UnknownOperations | null | undefined;
};

/** An auto top-up of a quota. */
export type AutoTopUpSetInput = {
  /** Key of the API. */
  apiKey: string;
  /** Most that it orders per calendar month (UTC), in the smallest unit of the currency of the offer. */
  capMinor: number;
  /** `ref` of one of `paymentCards`. */
  card: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Price shown to the customer, who accepts it. A higher one pauses the auto top-up. */
  expectedPriceMinor: number;
  /** Name of a quota per month or billing period. */
  limitName: string;
  /** Key of a top-up that adds units to the quota. */
  offerKey: string;
  /** Payment method of the card. */
  provider: PaymentProvider;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** Order when less than this percentage of the quota is left. */
  thresholdPercent?: number | null | undefined;
  /** Order when fewer units are left. Either this or `thresholdPercent`. */
  thresholdUnits?: number | null | undefined;
};

/** Status of an auto top-up. */
export type AutoTopUpStatus =
  /** Turned off. */
  | 'OFF'
  /** Orders when little is left. */
  | 'ON'
  /** Orders nothing until a member confirms its terms or changes it. */
  | 'PAUSED';

/** Why an auto top-up is paused or off. */
export type AutoTopUpStop =
  /** A member turned it off. */
  | 'CUSTOMER'
  /** A payment was disputed at the bank. */
  | 'DISPUTED'
  /** The offer cannot be bought, or would change nothing. */
  | 'NOT_FOR_SALE'
  /** An operator turned it off. */
  | 'OPERATOR'
  /** The saved card could not be charged. */
  | 'PAYMENT_FAILED'
  /** The offer costs more or adds less than the customer accepted. */
  | 'TERMS_CHANGED';

/** The auto top-up to turn off. */
export type AutoTopUpTurnOffInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the auto top-up. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Billing details of a tenant. */
export type BillingDetailsSetInput = {
  /** Postal address, with line breaks. Empty: none. Omitted: unchanged. */
  address?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Email address for billing. Empty: none. Omitted: unchanged. */
  email?: string | null | undefined;
  /** `version` that the caller has seen; 0 before the first change. */
  expectedVersion: number;
  /** Name of the company or person to bill. Empty: none. Omitted: unchanged. */
  name?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Tax ID, such as a VAT number. Empty: none. Omitted: unchanged. */
  taxId?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Billing interval of an upgrade. */
export type BillingInterval =
  /** On the same day of each month, or on its last day if it is shorter. */
  | 'MONTH'
  /** On the same day of each year. */
  | 'YEAR';

/** The boost to end early. */
export type BoostEndInput = {
  /** The boost. */
  boostId: string | number;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A temporary increase: ADD, or MULTIPLY by more than 100 percent. */
export type BoostStartInput = {
  /** Key of the API; omitted: every API. */
  apiKey?: string | null | undefined;
  /** Kind of limits; omitted: rates and quotas. */
  appliesTo?: LimitClass | null | undefined;
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Effect. */
  effect: AdjustmentEffectInput;
  /** End: at most 72 hours from now for support, 30 days for others. */
  endsAt: string;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** Name of the limit; omitted: every limit of the API. */
  limit?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The bulk action. */
export type BulkActionInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The bulk action. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Kind of bulk action. */
export type BulkActionKind =
  /** Starts a boost, like `boostStart`. */
  | 'BOOST'
  /** Sets an override, like `overrideSet`. */
  | 'OVERRIDE'
  /** Resumes, like `tenantResume`. */
  | 'RESUME'
  /** Suspends, like `tenantSuspend`. */
  | 'SUSPEND'
  /** Changes the tier, like `tenantTierChange`. */
  | 'TIER_CHANGE'
  /** Undoes another bulk action. Started by `bulkActionUndo` only. */
  | 'UNDO';

/** A bulk action on the tenants of either `tenantKeys` or `filter`. Requires a reason. */
export type BulkActionStartInput = {
  /** OVERRIDE and BOOST: target and effect. */
  adjustment?: BulkAdjustmentInput | null | undefined;
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The tenants by filter. */
  filter?: BulkFilterInput | null | undefined;
  /** Kind; the permission of the single-tenant mutation is required too. */
  kind: BulkActionKind;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The tenants by key, 1,000 at most. */
  tenantKeys?: Array<string> | null | undefined;
  /** TIER_CHANGE: key of a tier with a published version. */
  tierKey?: string | null | undefined;
};

/** Status of a bulk action. */
export type BulkActionStatus =
  /** Canceled; completed tenants stay changed. */
  | 'CANCELED'
  /** Finished for every tenant. */
  | 'DONE'
  /** Starts within seconds. */
  | 'QUEUED'
  /** In progress. */
  | 'RUNNING';

/** Target limits and the effect on them. */
export type BulkAdjustmentInput = {
  /** Key of the API; omitted: every API. */
  apiKey?: string | null | undefined;
  /** Kind of limits; omitted: rates and quotas. */
  appliesTo?: LimitClass | null | undefined;
  /** Effect. */
  effect: AdjustmentEffectInput;
  /** End; required for a boost; null or omitted, an override ends when it is removed. */
  endsAt?: string | null | undefined;
  /** Name of the limit; omitted: every limit of the API. */
  limit?: string | null | undefined;
};

/** A filter, as of the query `tenantUtilization`. */
export type BulkFilterInput = {
  /** Only tenants with denied requests in the last 24 hours. */
  denied?: boolean | null | undefined;
  /** Expected number of matches; a different number is an error. */
  expectedCount?: number | null | undefined;
  /** Only tenants with at least this utilization, percent. */
  minPercent?: number | null | undefined;
  /** Part of a key or name, case-insensitive. */
  search?: string | null | undefined;
  /** Only tenants of this status; never archived ones. */
  status?: TenantStatus | null | undefined;
  /** Only tenants on the tier of this key. */
  tier?: string | null | undefined;
};

/** Field of a limit that holds its capacity. */
export type CapacityField =
  /** `burst` of GCRA. */
  | 'BURST'
  /** `capacity` of a token bucket. */
  | 'CAPACITY'
  /** `limit`. */
  | 'LIMIT'
  /** `queue` of a leaky bucket. */
  | 'QUEUE';

/** What happens to existing usage when a limit changes. */
export type CarryOver =
  /** Existing usage stays, up to the old limit: additional capacity is available at once. */
  | 'ADDITIVE'
  /** Existing usage stays. */
  | 'KEEP'
  /** The same share of the new limit is used. */
  | 'PROPORTIONAL'
  /** Usage starts at zero. */
  | 'RESET';

/** The change to revert. */
export type ChangeRevertInput = {
  /** The change id, as returned by its mutation and in the audit trail. */
  changeId: string | number;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** An item to add. */
export type ChangeSetAddItemInput = {
  /** Name of a mutation, one of `changeSetCommands`. */
  command: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version that the caller has read. */
  expectedVersion: number;
  /** Id of the change set. */
  id: string | number;
  /** The mutation's input; `expectedVersion`, `dryRun` and `force` are left out. */
  input: Record<string, unknown>;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A new change set. */
export type ChangeSetCreateInput = {
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Requires approval by a second person, even if the installation does not. */
  needsApproval?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Title. */
  title: string;
};

/** A change set and the version that the caller has read. */
export type ChangeSetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version that the caller has read. */
  expectedVersion: number;
  /** Id of the change set. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** An item to remove. */
export type ChangeSetRemoveItemInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version that the caller has read. */
  expectedVersion: number;
  /** Id of the change set. */
  id: string | number;
  /** Id of the item. */
  itemId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A review. */
export type ChangeSetReviewInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version that the caller has read. */
  expectedVersion: number;
  /** Id of the change set. */
  id: string | number;
  /** Note to the author. */
  note?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Schedules a change set. */
export type ChangeSetScheduleInput = {
  /** When; in the future. */
  at: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version that the caller has read. */
  expectedVersion: number;
  /** Id of the change set. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Status of a change set. */
export type ChangeSetStatus =
  /** Was applied. */
  | 'APPLIED'
  /** Ready to apply. */
  | 'APPROVED'
  /** Canceled. */
  | 'CANCELED'
  /** Items can be added. */
  | 'DRAFT'
  /** Was due but could not be applied; nothing changed. */
  | 'FAILED'
  /** Rejected by a reviewer. */
  | 'REJECTED'
  /** Will be applied at `scheduledAt`. */
  | 'SCHEDULED'
  /** Waiting for approval. */
  | 'SUBMITTED';

/** Which requests count. */
export type Charge =
  /** Every request. */
  | 'ALWAYS'
  /** Requests that are not reported as successes. */
  | 'ON_FAILURE'
  /** Requests that are not reported as failures. */
  | 'ON_SUCCESS';

/** Tenants of a tier: those with one of the tags, the listed ones and a percentage of all. Set at least one field. */
export type CohortInput = {
  /** Percentage of all tenants, 1 to 100. The selection is stable: tenants in 10 percent are also in 20. */
  percent?: number | null | undefined;
  /** Tenants with any of these tags. */
  tags?: Array<string> | null | undefined;
  /** Tenants by key, 1000 at most. */
  tenantKeys?: Array<string> | null | undefined;
};

/** How nodes share a counter. */
export type ConsistencyInput = {
  /** LEASED only. Milliseconds for which a node may spend a lease, 100 to 60000. */
  leaseMs?: number | null | undefined;
  /** The mode. */
  mode: ConsistencyMode;
};

/** How nodes share a counter. */
export type ConsistencyMode =
  /** A node takes capacity ahead of time and spends it for at most `leaseMs`. */
  | 'LEASED'
  /** Every decision reads Redis. */
  | 'STRICT';

/** Why the recorded traffic shows nothing of a counter. */
export type CounterReplayProblem =
  /** The counter depends on more than the recorded requests that the viewer sees: leases, permits, other tenants, outcomes or labels. */
  | 'NOT_COVERED'
  /** The decision is not in the recorded traffic: not recorded, deleted, or not stored yet. */
  | 'NOT_RECORDED'
  /** The tenant had too many decisions in that time. */
  | 'TOO_MUCH';

/** Reason of a decision. */
export type DecisionReason =
  /** Denied: earlier attempts without a reported outcome could use up a limit that counts failures. */
  | 'ATTEMPTS_IN_FLIGHT'
  /** Denied: a limit is 0, the tenant is suspended or the operation is unknown. */
  | 'BLOCKED'
  /** Allowed: ahead of the even rate, within the burst. */
  | 'BURST'
  /** Denied: too many concurrent requests. */
  | 'CONCURRENCY_EXCEEDED'
  /** Degraded decision: the counters' Redis was unavailable. */
  | 'DEGRADED'
  /** Allowed: above the limit, with borrowed capacity. */
  | 'ELASTIC'
  /** Allowed: exempt from limits by a setting. */
  | 'EXEMPT'
  /** Allowed: no limit applies. */
  | 'NO_LIMIT'
  /** Denied: blocked by the penalty of a limit after too many denials. */
  | 'PENALTY'
  /** Denied: the API's pool is exhausted. */
  | 'POOL_EXHAUSTED'
  /** Allowed after a delay. */
  | 'QUEUED'
  /** Denied: quota exceeded. */
  | 'QUOTA_EXCEEDED'
  /** Denied: rate limit exceeded. */
  | 'RATE_EXCEEDED'
  /** Allowed: the limit that would have denied it is in shadow mode. */
  | 'SHADOW'
  /** Allowed: above the limit, within the soft band. */
  | 'SOFT_LIMIT'
  /** Allowed: within all limits. */
  | 'WITHIN_LIMIT';

/** A value that identifies the caller in one dimension. */
export type DecisionSubjectInput = {
  /** Dimension, such as `user` or `ip`. */
  dimension: string;
  /** The identifier. */
  value: string;
};

/** A default limit of an API. */
export type DefaultLimitInput = {
  /** How it counts. */
  algorithm: Algorithm;
  /** FIXED_WINDOW only. When the window starts. `CLOCK` when omitted. */
  alignment?: Alignment | null | undefined;
  /** Further APIs whose requests it counts, or `*` alone for every API. For limits on all operations; the names of the limits of these APIs must differ from its own. */
  alsoApis?: Array<string> | null | undefined;
  /** Amounts for the values of a label, below the limit of all of them together. */
  amounts?: LimitAmountsInput | null | undefined;
  /** With charge `on_failure`: milliseconds for which a request without a reported outcome counts; 30,000 when omitted. */
  attemptTimeoutMs?: number | null | undefined;
  /** SLIDING_WINDOW_COUNTER only. Sub-windows, 1 to 120; 1 estimates from the current window and the one before it. */
  buckets?: number | null | undefined;
  /** GCRA only. Requests allowed at once in addition to the evenly spaced one. `0` when omitted. */
  burst?: number | null | undefined;
  /** A rule to try: counted next to the limit, never enforced. */
  candidate?: LimitRuleInput | null | undefined;
  /** TOKEN_BUCKET only. The most tokens in the bucket. `limit` when omitted. */
  capacity?: number | null | undefined;
  /** Which requests count; `always` when omitted. */
  charge?: Charge | null | undefined;
  /** How nodes share the counter; `strict` when omitted. */
  consistency?: ConsistencyInput | null | undefined;
  /** How long a decision waits for Redis, milliseconds, 5 to 1,000; the node's deadline when omitted. */
  deadlineMs?: number | null | undefined;
  /** Whether denials take effect; `enforce` when omitted. */
  enforcement?: EnforcementInput | null | undefined;
  /** With storage `packed`, required: subjects that a tenant has in one window, roughly, 1 to 10000000. Determines the number of hashes, not how requests are decided. */
  expectedSubjects?: number | null | undefined;
  /** Whether response headers include it. */
  inHeaders?: boolean | null | undefined;
  /** Limits per `ip`: length of the prefix that IPv4 addresses of one counter share, 8 to 32; 32 when omitted. */
  ipv4Prefix?: number | null | undefined;
  /** Limits per `ip`: length of the prefix that IPv6 addresses of one counter share, 48 to 128; 64 when omitted. */
  ipv6Prefix?: number | null | undefined;
  /** CONCURRENCY only. Milliseconds until a permit that is neither released nor renewed is free again, one day at most. */
  leaseMs?: number | null | undefined;
  /** Requests per window or period; for CONCURRENCY: at the same time. 0 blocks. */
  limit: number;
  /** Name, unique within its API; clients see it in RateLimit headers. */
  name: string;
  /** How it treats a request without a value for one of its dimensions. */
  onMissing?: OnMissing | null | undefined;
  /** How nodes decide while Redis is unavailable. */
  onUnavailable?: OnUnavailable | null | undefined;
  /** Operations that it covers; empty: every operation of the API. */
  operations?: Array<string>;
  /** Blocks a subject that the limit denies too often; no penalty when omitted. */
  penalty?: LimitPenaltyInput | null | undefined;
  /** Dimensions that it counts by in addition to the tenant. `global` first: one counter for all tenants. */
  per?: Array<string>;
  /** QUOTA only. Calendar period in the tenant's time zone. */
  period?: QuotaPeriod | null | undefined;
  /** LEAKY_BUCKET only. The most requests that wait. */
  queue?: number | null | undefined;
  /** TOKEN_BUCKET only. When tokens are added. `CONTINUOUS` when omitted. */
  refill?: TokenRefill | null | undefined;
  /** Quotas of the tenant as a whole: the unused part of a period that the next one has in addition, in percent of the limit at most, 1 to 100. */
  rolloverPercent?: number | null | undefined;
  /** Whether requests of child tenants count too, on the counter of their parent. For limits of the tenant as a whole. */
  sharedWithChildren?: boolean | null | undefined;
  /** Layout of its counters in Redis; `key` when omitted. Limits of one API and name have the same layout in all tiers, for good. */
  storage?: LimitStorage | null | undefined;
  /** What happens when the limit is exceeded; `hard` when omitted. */
  throttle?: ThrottleInput | null | undefined;
  /** Starts the limit of new tenants at a part of its number; the whole limit when omitted. */
  warmUp?: LimitWarmUpInput | null | undefined;
  /** Not for CONCURRENCY and QUOTA. Length of the window in milliseconds, 366 days at most. */
  windowMs?: number | null | undefined;
};

/** How a limit differs between two versions. */
export type DifferenceKind =
  /** Only in the second version. */
  | 'ADDED'
  /** In both versions, with differences. */
  | 'CHANGED'
  /** Only in the first version. */
  | 'REMOVED';

/** Effect of an adjustment on a limit. */
export type EffectKind =
  /** Adds units. */
  | 'ADD'
  /** Multiplies by a percentage: 200 doubles the limit. */
  | 'MULTIPLY'
  /** Sets the limit. */
  | 'SET';

/** Whether denials take effect. */
export type EnforcementInput = {
  /** The mode. */
  mode: EnforcementMode;
  /** PERCENT only. Enforced share of counters in percent, 1 to 99. */
  percent?: number | null | undefined;
};

/** Whether denials take effect. */
export type EnforcementMode =
  /** They do. */
  | 'ENFORCE'
  /** Enforced for `percent` of all counters, always the same ones. */
  | 'PERCENT'
  /** Counted and reported, never denied. */
  | 'SHADOW';

/** Why an entitlement started or ended. */
export type EntitlementCause =
  /** The tenant canceled the purchase. */
  | 'CANCELED'
  /** Unused units of a top-up moved to the next period of the quota. */
  | 'CARRIED'
  /** The payment is disputed. */
  | 'DISPUTED'
  /** An operator granted it. */
  | 'GRANT'
  /** The renewal was not paid. */
  | 'PAYMENT_FAILED'
  /** It was purchased. */
  | 'PURCHASE'
  /** The payment was refunded. */
  | 'REFUNDED'
  /** The purchase was renewed. */
  | 'RENEWAL'
  /** Another entitlement replaced it. */
  | 'REPLACED'
  /** An operator revoked it. */
  | 'REVOKED'
  /** Unused units of a quota were left at the end of its period. */
  | 'ROLLOVER';

/** Effect of a grant: ADD, or MULTIPLY by more than 100 percent. */
export type EntitlementEffectInput = {
  /** Key of the API; omitted: every API. */
  apiKey?: string | null | undefined;
  /** Kind of limits; omitted: rates and quotas. */
  appliesTo?: LimitClass | null | undefined;
  /** Effect. */
  effect: AdjustmentEffectInput;
  /** Name of the limit; omitted: every limit of the API. */
  limit?: string | null | undefined;
};

/** An entitlement to grant. */
export type EntitlementGrantInput = {
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Effects, 1 to 10. */
  effects: Array<EntitlementEffectInput>;
  /** End; omitted: when it is revoked. */
  endsAt?: string | null | undefined;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** Display name. */
  label: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Kind of the grant. */
  source: EntitlementSource;
  /** Start; omitted: now. */
  startsAt?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The entitlement to revoke. */
export type EntitlementRevokeInput = {
  /** End; omitted: now. */
  at?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The entitlement. */
  entitlementId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Kind of a purchase or grant. */
export type EntitlementSource =
  /** Expires. */
  | 'TOPUP'
  /** Renews. */
  | 'UPGRADE';

/** How response headers report limits. */
export type HeaderStyle =
  /** `RateLimit-Limit`, `-Remaining`, `-Reset` of its older drafts: the limit that is closest to exhausted. */
  | 'DRAFT_3'
  /** `RateLimit-Policy` and `RateLimit` of the current IETF draft: every limit by name. */
  | 'DRAFT_11'
  /** `X-RateLimit-*`: the limit that is closest to exhausted, its reset in Unix seconds. */
  | 'X_RATELIMIT';

/** Changes of company and brand. */
export type InstallationUpdateInput = {
  /** Accent color `#rrggbb` with WCAG AA contrast. Empty: default. Omitted: unchanged. */
  accent?: string | null | undefined;
  /** Postal address, with line breaks. Empty: none. Omitted: unchanged. */
  address?: string | null | undefined;
  /** Legal name of the company. Empty: none. Omitted: unchanged. */
  companyName?: string | null | undefined;
  /** Email address, telephone or website. Empty: none. Omitted: unchanged. */
  contact?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Origins whose pages may embed the usage widget. Omitted: unchanged. */
  embedOrigins?: Array<string> | null | undefined;
  /** `version` that the caller has seen. */
  expectedVersion: number;
  /** Note below the totals of invoices and receipts. Empty: none. Omitted: unchanged. */
  invoiceNote?: string | null | undefined;
  /** PNG as base64: at most 32 KB and 512 × 512 pixels. Empty: none. Omitted: unchanged. */
  logo?: string | null | undefined;
  /** Name of the product. Omitted: unchanged. */
  productName?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Entry in the commercial register. Empty: none. Omitted: unchanged. */
  registration?: string | null | undefined;
  /** Tax that prices include, in hundredths of a percent; 0: no tax line. Omitted: unchanged. */
  taxBasisPoints?: number | null | undefined;
  /** Tax ID, such as a VAT number. Empty: none. Omitted: unchanged. */
  taxId?: string | null | undefined;
  /** Name of the tax that prices include, such as VAT. Empty: none. Omitted: unchanged. */
  taxLabel?: string | null | undefined;
};

/** Accepts an invitation. */
export type InvitationAcceptInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Name; required if the address has no account. */
  name?: string | null | undefined;
  /** Password of the existing or new account; not required if signed in to that account. */
  password?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The part of the link after the `#`. */
  token: string;
};

/** An invitation to a tenant. */
export type InvitationTargetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the invitation. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The invoice that was paid. */
export type InvoiceMarkPaidInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Number of the invoice. */
  number: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Amount received, if it differs from the amount of the invoice. */
  receivedMinor?: number | null | undefined;
  /** Reference on the bank statement. */
  reference?: string | null | undefined;
};

/** Status of an invoice. */
export type InvoiceStatus =
  /** Not paid. */
  | 'OPEN'
  /** Paid. */
  | 'PAID'
  /** Voided; the number is not reused. */
  | 'VOID';

/** The invoice to void. */
export type InvoiceVoidInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Number of the invoice. */
  number: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A queue of background jobs. */
export type JobQueueTargetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Name of the queue. */
  queue: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** State of a background job. Finished jobs are deleted. */
export type JobState =
  /** A worker runs it. */
  | 'ACTIVE'
  /** All attempts failed. The queue keeps the newest 100 of them. */
  | 'FAILED'
  /** Starts at a set time. */
  | 'SCHEDULED'
  /** Starts as soon as a worker is free. */
  | 'WAITING';

/** A job of a queue. */
export type JobTargetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the job. */
  id: string | number;
  /** Name of the queue. */
  queue: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The amount of one label. */
export type LabelAmountInput = {
  /** Value of the dimension, 1 to 32 letters, digits, `.`, `_`, `@` and `-`. */
  label: string;
  /** Requests with this value, 1 to the limit. */
  limit: number;
};

/** Parts of a limit for the values of a label. */
export type LimitAmountsInput = {
  /** Dimension with the label, such as `region`; none that the limit counts by. */
  by: string;
  /** Amounts of 1 to 50 labels. They may add up to more than the limit. */
  labels: Array<LabelAmountInput>;
  /** Amount of all other labels together, and of requests without a label; 0 denies them. Without it, only the limit applies to them. */
  others?: number | null | undefined;
};

/** Kind of limits. */
export type LimitClass =
  /** Quotas per calendar period. */
  | 'QUOTA'
  /** Rate limits. */
  | 'RATE';

/** A limit of a draft. */
export type LimitInput = {
  /** How it counts. */
  algorithm: Algorithm;
  /** FIXED_WINDOW only. When the window starts. `CLOCK` when omitted. */
  alignment?: Alignment | null | undefined;
  /** Further APIs whose requests it counts, or `*` alone for every API. For limits on all operations; the names of the limits of these APIs must differ from its own. */
  alsoApis?: Array<string> | null | undefined;
  /** Amounts for the values of a label, below the limit of all of them together. */
  amounts?: LimitAmountsInput | null | undefined;
  /** Key of the API that it protects. */
  apiKey: string;
  /** With charge `on_failure`: milliseconds for which a request without a reported outcome counts; 30,000 when omitted. */
  attemptTimeoutMs?: number | null | undefined;
  /** SLIDING_WINDOW_COUNTER only. Sub-windows, 1 to 120; 1 estimates from the current window and the one before it. */
  buckets?: number | null | undefined;
  /** GCRA only. Requests allowed at once in addition to the evenly spaced one. `0` when omitted. */
  burst?: number | null | undefined;
  /** A rule to try: counted next to the limit, never enforced. */
  candidate?: LimitRuleInput | null | undefined;
  /** TOKEN_BUCKET only. The most tokens in the bucket. `limit` when omitted. */
  capacity?: number | null | undefined;
  /** Which requests count; `always` when omitted. */
  charge?: Charge | null | undefined;
  /** How nodes share the counter; `strict` when omitted. */
  consistency?: ConsistencyInput | null | undefined;
  /** How long a decision waits for Redis, milliseconds, 5 to 1,000; the node's deadline when omitted. */
  deadlineMs?: number | null | undefined;
  /** Whether denials take effect; `enforce` when omitted. */
  enforcement?: EnforcementInput | null | undefined;
  /** With storage `packed`, required: subjects that a tenant has in one window, roughly, 1 to 10000000. Determines the number of hashes, not how requests are decided. */
  expectedSubjects?: number | null | undefined;
  /** Whether response headers include it. */
  inHeaders?: boolean | null | undefined;
  /** Limits per `ip`: length of the prefix that IPv4 addresses of one counter share, 8 to 32; 32 when omitted. */
  ipv4Prefix?: number | null | undefined;
  /** Limits per `ip`: length of the prefix that IPv6 addresses of one counter share, 48 to 128; 64 when omitted. */
  ipv6Prefix?: number | null | undefined;
  /** CONCURRENCY only. Milliseconds until a permit that is neither released nor renewed is free again, one day at most. */
  leaseMs?: number | null | undefined;
  /** Requests per window or period; for CONCURRENCY: at the same time. 0 blocks. */
  limit: number;
  /** Name, unique within its API; clients see it in RateLimit headers. */
  name: string;
  /** How it treats a request without a value for one of its dimensions. */
  onMissing?: OnMissing | null | undefined;
  /** How nodes decide while Redis is unavailable. */
  onUnavailable?: OnUnavailable | null | undefined;
  /** Operations that it covers; empty: every operation of the API. */
  operations?: Array<string>;
  /** Blocks a subject that the limit denies too often; no penalty when omitted. */
  penalty?: LimitPenaltyInput | null | undefined;
  /** Dimensions that it counts by in addition to the tenant. `global` first: one counter for all tenants. */
  per?: Array<string>;
  /** QUOTA only. Calendar period in the tenant's time zone. */
  period?: QuotaPeriod | null | undefined;
  /** LEAKY_BUCKET only. The most requests that wait. */
  queue?: number | null | undefined;
  /** TOKEN_BUCKET only. When tokens are added. `CONTINUOUS` when omitted. */
  refill?: TokenRefill | null | undefined;
  /** Quotas of the tenant as a whole: the unused part of a period that the next one has in addition, in percent of the limit at most, 1 to 100. */
  rolloverPercent?: number | null | undefined;
  /** Whether requests of child tenants count too, on the counter of their parent. For limits of the tenant as a whole. */
  sharedWithChildren?: boolean | null | undefined;
  /** Layout of its counters in Redis; `key` when omitted. Limits of one API and name have the same layout in all tiers, for good. */
  storage?: LimitStorage | null | undefined;
  /** What happens when the limit is exceeded; `hard` when omitted. */
  throttle?: ThrottleInput | null | undefined;
  /** Starts the limit of new tenants at a part of its number; the whole limit when omitted. */
  warmUp?: LimitWarmUpInput | null | undefined;
  /** Not for CONCURRENCY and QUOTA. Length of the window in milliseconds, 366 days at most. */
  windowMs?: number | null | undefined;
};

/** What the usage of a day is compared with a limit by. */
export type LimitMeasure =
  /** The busiest hour, scaled to the window. */
  | 'BUSIEST_HOUR'
  /** The busiest minute, scaled to shorter windows. */
  | 'BUSIEST_MINUTE'
  /** The whole day. */
  | 'DAY'
  /** The period of the quota until the end of the day. */
  | 'PERIOD';

/** Where a limit is defined. */
export type LimitOrigin =
  /** In the default limits of the API: the tier has no limit of this name. */
  | 'DEFAULT'
  /** In the tier. */
  | 'TIER';

/** Blocks a subject that a limit denies too often. */
export type LimitPenaltyInput = {
  /** Length of the first block in milliseconds, a second to 30 days. Each further one is twice as long. */
  blockMs: number;
  /** Denials by the limit within `windowMs` that start a block, 1 to 10000. */
  denials: number;
  /** Length of the longest block in milliseconds, `blockMs` to 30 days; also how long after a block the next one is a first one again. */
  maxBlockMs: number;
  /** Milliseconds from the first of these denials to the last, a second to a day. */
  windowMs: number;
};

/** An algorithm with its numbers. */
export type LimitRuleInput = {
  /** How it counts. */
  algorithm: Algorithm;
  /** FIXED_WINDOW only. When the window starts. `CLOCK` when omitted. */
  alignment?: Alignment | null | undefined;
  /** SLIDING_WINDOW_COUNTER only. Sub-windows, 1 to 120; 1 estimates from the current window and the one before it. */
  buckets?: number | null | undefined;
  /** GCRA only. Requests allowed at once in addition to the evenly spaced one. `0` when omitted. */
  burst?: number | null | undefined;
  /** TOKEN_BUCKET only. The most tokens in the bucket. `limit` when omitted. */
  capacity?: number | null | undefined;
  /** CONCURRENCY only. Milliseconds until a permit that is neither released nor renewed is free again, one day at most. */
  leaseMs?: number | null | undefined;
  /** Requests per window or period; for CONCURRENCY: at the same time. 0 blocks. */
  limit: number;
  /** QUOTA only. Calendar period in the tenant's time zone. */
  period?: QuotaPeriod | null | undefined;
  /** LEAKY_BUCKET only. The most requests that wait. */
  queue?: number | null | undefined;
  /** TOKEN_BUCKET only. When tokens are added. `CONTINUOUS` when omitted. */
  refill?: TokenRefill | null | undefined;
  /** Not for CONCURRENCY and QUOTA. Length of the window in milliseconds, 366 days at most. */
  windowMs?: number | null | undefined;
};

/** Source of an effective limit: the last change applied to it. */
export type LimitSource =
  /** A temporary boost. */
  | 'BOOST'
  /** The default limits of the API. */
  | 'DEFAULT'
  /** An override set by an admin. */
  | 'OVERRIDE'
  /** A lower limit that the tenant set itself. */
  | 'OWN'
  /** The parent tenant, which shares the limit. */
  | 'PARENT'
  /** A rule for some of its subjects; only in `subjectLimits`. */
  | 'SUBJECT_RULE'
  /** The tier version of the tenant. */
  | 'TIER'
  /** A purchased or granted top-up, which expires. */
  | 'TOPUP'
  /** A purchased or granted upgrade, which renews. */
  | 'UPGRADE'
  /** The ramp of a new tenant, which starts at a part of the limit. */
  | 'WARM_UP';

/** Layout of the counters of a limit in Redis. It never changes. */
export type LimitStorage =
  /** One key per counter. */
  | 'KEY'
  /** The counters of a tenant are fields of a few hashes. FIXED_WINDOW with `alignment` CLOCK only. */
  | 'PACKED'
  /** The counters of a subject, of all limits of the API with the same `per`, are fields of one hash. FIXED_WINDOW, GCRA, TOKEN_BUCKET with `refill` CONTINUOUS, and LEAKY_BUCKET only. */
  | 'SUBJECT';

/** Starts a limit of new tenants at a part of its number. */
export type LimitWarmUpInput = {
  /** Milliseconds from the creation of a tenant until the whole limit applies, ten minutes to 90 days, in 4 equal steps. */
  ms: number;
  /** Percent of the limit in the first step, 1 to 99. */
  startPercent: number;
};

/** Kind of problem. */
export type LintCode =
  /** Another limit denies requests within its extra allowance. */
  | 'BAND_NEVER_USED'
  /** An operation costs more than the limit admits at once. */
  | 'COST_ABOVE_BURST'
  /** Recent requests had no value for a dimension of the limit. */
  | 'MISSING_DIMENSION'
  /** Another limit always denies first. */
  | 'NEVER_REACHED'
  /** The tier limits other APIs, but not this one. */
  | 'NO_LIMIT'
  /** Two limits count the same requests in the same way. */
  | 'OVERLAP'
  /** The sum of the tenants' own limits exceeds the pool's capacity. */
  | 'POOL_EXCEEDED'
  /** None of its operations uses the pool that it borrows from. */
  | 'POOL_NOT_DRAWN_ON'
  /** The API does not exist. */
  | 'UNKNOWN_API'
  /** The operation does not exist. */
  | 'UNKNOWN_OPERATION'
  /** The pool does not exist. */
  | 'UNKNOWN_POOL';

/** Severity of a finding. */
export type LintSeverity =
  /** The version cannot be published. */
  | 'ERROR'
  /** For information. */
  | 'INFO'
  /** The configuration probably does not do what was intended. */
  | 'WARNING';

/** Where an object is managed. */
export type ManagedBy =
  /** In a configuration file: `configApply` changes it; other changes need `force`. */
  | 'CONFIG'
  /** In the console and the API. */
  | 'CONSOLE';

/** A person to invite to a tenant. */
export type MemberInviteInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Email address. */
  email: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Role in the tenant. */
  role: MemberRole;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The member to remove from a tenant. */
export type MemberRemoveInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the member. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Role of a member in their tenant. */
export type MemberRole =
  /** Buys and sees invoices. */
  | 'BUYER'
  /** Manages keys and sees usage. */
  | 'DEVELOPER'
  /** Everything. */
  | 'OWNER'
  /** Read-only access. */
  | 'VIEWER';

/** A change of a member's role. */
export type MemberRoleChangeInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the member. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The new role. */
  role: MemberRole;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Account of the money ledger. */
export type MoneyAccount =
  /** Payments received, less refunds and disputes. */
  | 'CASH'
  /** Amounts that banks retain while a dispute is open. */
  | 'DISPUTED'
  /** Revenue; negative, the counterpart of CASH. */
  | 'REVENUE'
  /** Payments that need review. */
  | 'SUSPENSE';

/** The node to retire. */
export type NodeRetireInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the node. */
  nodeId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Severity of a notice. */
export type NoticeSeverity =
  /** Action is required now. */
  | 'CRITICAL'
  /** For information. */
  | 'INFO'
  /** Action will be required. */
  | 'WARNING';

/** Notices to mark as read. */
export type NoticesMarkReadInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant; all notices by default. */
  tenantKey?: string | null | undefined;
  /** The newest notice read; older notices are marked as read too. */
  upTo: string | number;
};

/** The offer to change. */
export type OfferChangeInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the offer on which the change is based. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Key of the offer. */
  offerKey: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A new offer, created as a draft. */
export type OfferCreateInput = {
  /** How used quota carries over when limits change. */
  carryOver?: CarryOver | null | undefined;
  /** ISO 4217 code of the currency, such as EUR. */
  currency: string;
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Effects on limits. */
  effects: Array<OfferEffectInput>;
  /** Days that an upgrade stays active after a failed renewal; defaults to 7. */
  graceDays?: number | null | undefined;
  /** Billing interval of an upgrade. */
  interval?: BillingInterval | null | undefined;
  /** Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Whether it renews or expires. */
  kind: OfferKind;
  /** Maximum quantity per purchase; defaults to 1. */
  maxQuantity?: number | null | undefined;
  /** Display name. */
  name: string;
  /** Price per unit and period, in the smallest unit of the currency. */
  priceMinor: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Total stock; defaults to unlimited. */
  stock?: number | null | undefined;
  /** Keys of the tiers that can buy it; empty: every tier. */
  tierKeys?: Array<string> | null | undefined;
  /** Days until a top-up expires. */
  validDays?: number | null | undefined;
};

/** Effect of a purchase on limits. */
export type OfferEffectInput = {
  /** Key of the API; defaults to every API. */
  apiKey?: string | null | undefined;
  /** Kind of limits; defaults to both. */
  appliesTo?: OfferEffectTarget | null | undefined;
  /** Kind of the effect. */
  kind: OfferEffectKind;
  /** Name of a limit of the API; defaults to every limit. */
  limitName?: string | null | undefined;
  /** For MULTIPLY: percentage of the limit, above 100. */
  percent?: number | null | undefined;
  /** For ADD: units to add, 1 or more. */
  units?: number | null | undefined;
};

/** Effect on a limit. */
export type OfferEffectKind =
  /** Adds units. */
  | 'ADD'
  /** Multiplies by a percentage: 200 doubles the limit. */
  | 'MULTIPLY';

/** Limits that an effect applies to. */
export type OfferEffectTarget =
  /** Quotas per day, week, month or billing period. */
  | 'QUOTA'
  /** Rate limits. */
  | 'RATE';

/** Kind of an offer. */
export type OfferKind =
  /** Bought once; expires. */
  | 'TOPUP'
  /** Renews until it is canceled. */
  | 'UPGRADE';

/** Status of an offer. */
export type OfferStatus =
  /** On sale. */
  | 'ACTIVE'
  /** No longer on sale; existing purchases are unaffected. */
  | 'ARCHIVED'
  /** Not on sale yet; visible to operators only. */
  | 'DRAFT';

/** Changes of an offer for future purchases. Omitted fields stay unchanged. */
export type OfferUpdateInput = {
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Effects on limits. */
  effects?: Array<OfferEffectInput> | null | undefined;
  /** Version of the offer on which the change is based. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Days that an upgrade stays active after a failed renewal. */
  graceDays?: number | null | undefined;
  /** True removes the stock limit. */
  isUnlimited?: boolean | null | undefined;
  /** Maximum quantity per purchase. */
  maxQuantity?: number | null | undefined;
  /** Display name. */
  name?: string | null | undefined;
  /** Key of the offer. */
  offerKey: string;
  /** Price per unit, in the smallest unit of the currency. */
  priceMinor?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Total stock, including units already sold. */
  stock?: number | null | undefined;
  /** Keys of the tiers that can buy it; empty: every tier. */
  tierKeys?: Array<string> | null | undefined;
  /** Days until a top-up expires. */
  validDays?: number | null | undefined;
};

/** How a limit treats a request without a value for one of its dimensions. */
export type OnMissing =
  /** The request is rejected with 400 dimension-missing. */
  | 'REFUSE'
  /** All requests without the value share one counter. */
  | 'SHARED'
  /** The limit does not apply to the request. */
  | 'SKIP';

/** How nodes decide while Redis is unavailable. */
export type OnUnavailable =
  /** Every request is allowed. */
  | 'ALLOW'
  /** Every request is denied. */
  | 'DENY'
  /** Each node spends its share of the limit. */
  | 'SHARE';

/** A new operation of an API. */
export type OperationCreateInput = {
  /** Key of the API. */
  apiKey: string;
  /** Units that one request takes from a limit, 1 or more. */
  cost?: number | null | undefined;
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Permanent name: a letter, then letters, digits, ".", "_" or "-". */
  name: string;
  /** Order in which requests are shed when a pool is short. */
  priority?: Priority | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The operation to delete. */
export type OperationDeleteInput = {
  /** Key of the API. */
  apiKey: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Name of the operation. */
  name: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Changes to an operation; omitted fields keep their values. */
export type OperationUpdateInput = {
  /** Key of the API. */
  apiKey: string;
  /** Units that one request takes from a limit, 1 or more. */
  cost?: number | null | undefined;
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Name of the operation. */
  name: string;
  /** Order in which requests are shed when a pool is short. */
  priority?: Priority | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** An invitation of an operator. */
export type OperatorInvitationTargetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the invitation. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A person to invite as an operator. */
export type OperatorInviteInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Email address. */
  email: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Role as an operator. */
  role: OperatorRole;
};

/** Role of an operator. */
export type OperatorRole =
  /** Reads everything, changes nothing. */
  | 'AUDITOR'
  /** Manages subscriptions, purchases and offers. */
  | 'BILLING'
  /** Manages APIs, tiers and limits. */
  | 'LIMITS_ADMIN'
  /** Full access. */
  | 'OWNER'
  /** Manages tenants. */
  | 'SUPPORT'
  /** Reads policy and traffic, changes nothing. */
  | 'VIEWER';

/** A change of an operator's role. */
export type OperatorRoleChangeInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the operator. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The new role. */
  role: OperatorRole;
};

/** The operator to suspend, resume or remove. */
export type OperatorStatusInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the operator. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Override or boost. */
export type OverrideKind =
  /** Raises the limits of the tenant temporarily. */
  | 'BOOST'
  /** Replaces or changes the limits of the tenant. */
  | 'OVERRIDE'
  /** Lowers a limit at the request of the tenant, which set it itself. */
  | 'OWN';

/** The override to remove. */
export type OverrideRemoveInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** The override. */
  overrideId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** An override for one tenant. It replaces another one for the same limits. */
export type OverrideSetInput = {
  /** Key of the API; omitted: every API. */
  apiKey?: string | null | undefined;
  /** Kind of limits; omitted: rates and quotas. */
  appliesTo?: LimitClass | null | undefined;
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Effect. */
  effect: AdjustmentEffectInput;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** End; null or omitted: when it is removed. */
  expiresAt?: string | null | undefined;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Name of the limit; omitted: every limit of the API. */
  limit?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Start; omitted: now. */
  startsAt?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Status of an override or boost. */
export type OverrideStatus =
  /** In effect. */
  | 'ACTIVE'
  /** Expired. */
  | 'ENDED'
  /** Ended manually. */
  | 'REMOVED'
  /** Starts later. */
  | 'SCHEDULED';

/** The own limit to remove. */
export type OwnLimitRemoveInput = {
  /** Key of the API. */
  apiKey: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Name of the limit. */
  limit: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** A lower limit that the tenant sets itself. It replaces an earlier one. */
export type OwnLimitSetInput = {
  /** Key of the API. */
  apiKey: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Name of the limit. */
  limit: string;
  /** The own limit, below the limit that applies without it. */
  max: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The account whose password to reset. */
export type PasswordResetRequestInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Email address of the account. */
  email: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Why stored usage does not show the denials of a limit with a purchase. */
export type PastEffectGap =
  /** Its window, or the time until it is unused again, is longer than a day. */
  | 'LONG_WINDOW'
  /** Its denials depend on more than the requests: permits, outcomes, labels, leases or other tenants. */
  | 'NOT_BY_REQUESTS'
  /** It denies nothing, or only a part. */
  | 'NOT_ENFORCED'
  /** It counts callers separately, and usage is stored by tenant. */
  | 'PER_CALLER';

/** The tenant that saves a card. */
export type PaymentCardLinkInput = {
  /** ISO 4217 code of later charges. */
  currency: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** One of `paymentCards.providers`. */
  provider: PaymentProvider;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Path of the console to which the customer returns. */
  returnPath?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** The payment to approve or reject. */
export type PaymentDecisionInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reference of the payment at its provider. */
  payment: string;
  /** Id of the purchase. */
  purchaseId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The event to dismiss. `reason` is required. */
export type PaymentEventDismissInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the review. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The event to book again. */
export type PaymentEventRetryInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the review. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** State of a payment event that could not be booked. */
export type PaymentEventReviewStatus =
  /** Booked later, by a retry or a further delivery. */
  | 'BOOKED'
  /** Closed by an operator without booking. */
  | 'DISMISSED'
  /** Needs a decision. */
  | 'OPEN';

/** The tenant whose billing portal to open. */
export type PaymentPortalLinkInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Path of the console to which the customer returns. */
  returnPath?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Payment method. */
export type PaymentProvider =
  /** Bank transfer; an operator marks the invoice as paid. */
  | 'INVOICE'
  /** Stripe Checkout. */
  | 'STRIPE'
  /** Test card; no money moves. */
  | 'TEST';

/** Why a payment needs review. */
export type PaymentReviewReason =
  /** The purchase would not change any limit of the tenant, since a change after the order. */
  | 'NO_EFFECT'
  /** A one-time purchase was paid twice. */
  | 'PAID_TWICE'
  /** It arrived after the order was canceled, and the offer is sold out. */
  | 'SOLD_OUT'
  /** The tenant has the maximum number of entitlements. */
  | 'TOO_MANY'
  /** The amount differs from the order. */
  | 'WRONG_AMOUNT'
  /** The currency differs from the order. */
  | 'WRONG_CURRENCY'
  /** Another customer paid. */
  | 'WRONG_CUSTOMER';

/** Status of a payment. */
export type PaymentStatus =
  /** Pays for the order. */
  | 'ACCEPTED'
  /** An operator has to decide. */
  | 'NEEDS_REVIEW'
  /** An operator rejected it. */
  | 'REJECTED';

/** Mode of a limit in a decision. */
export type PolicyMode =
  /** A candidate evaluated beside the live limit of the same name. */
  | 'CANDIDATE'
  /** Denies requests above the limit. */
  | 'ENFORCE'
  /** Counts and reports, never denies. */
  | 'SHADOW';

/** The revision to roll back to. */
export type PolicyRollbackInput = {
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The newest revision, which the caller has read; rejected if the policy has changed since, also by a change that is not published yet. */
  expectedRevision: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Whether to restore the rules for subjects of all tenants as well. False leaves them as they are, such as addresses denied since. */
  subjectRules?: boolean | null | undefined;
  /** Number of the revision to restore. */
  toRevision: number;
};

/** A new pool of an API. */
export type PoolCreateInput = {
  /** Key of the API. */
  apiKey: string;
  /** Units per second, 1 to 1000000000. */
  capacity: number;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters. */
  name: string;
  /** Operations that use it; empty: every operation of the API. */
  operations?: Array<string>;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Unused capacity below this percentage is spare and may be borrowed, 1 to 100. */
  reclaimPercent?: number | null | undefined;
  /** Warm-up after a cold start; null: none. */
  warmUp?: PoolWarmUpInput | null | undefined;
};

/** The pool to delete. */
export type PoolDeleteInput = {
  /** Key of the API. */
  apiKey: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters. */
  name: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Changes to a pool; omitted fields keep their values. */
export type PoolUpdateInput = {
  /** Key of the API. */
  apiKey: string;
  /** Units per second, 1 to 1000000000. */
  capacity?: number | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the API that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters. */
  name: string;
  /** Operations that use it; empty: every operation of the API. */
  operations?: Array<string> | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Unused capacity below this percentage is spare and may be borrowed, 1 to 100. */
  reclaimPercent?: number | null | undefined;
  /** Warm-up after a cold start; null removes it. */
  warmUp?: PoolWarmUpInput | null | undefined;
};

/** Starts the capacity of a pool at a part after a cold start of its service. */
export type PoolWarmUpInput = {
  /** Milliseconds from the reported start until the whole capacity applies, 1000 to 3600000. */
  ms: number;
  /** Percent of the capacity at the start, 1 to 99. */
  startPercent: number;
};

/** Order in which requests are shed when a pool is short. */
export type Priority =
  /** Shed first. */
  | 'BACKGROUND'
  /** Shed last. */
  | 'CRITICAL'
  /** Shed after background. */
  | 'NORMAL';

/** Propagation state of a change. */
export type PropagationState =
  /** Acknowledged by every active node. */
  | 'LIVE'
  /** Committed, not yet published to nodes. */
  | 'PENDING'
  /** Published; not acknowledged by every node. */
  | 'PUBLISHED'
  /** Rejected by at least one node, which keeps its last valid policy. */
  | 'REJECTED';

/** The guard to cancel. */
export type PublicationGuardCancelInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The guard. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Reverts a publication if the affected tenants are denied too much more than before it. */
export type PublicationGuardInput = {
  /** Reverts if the denied share of decisions rises by more percentage points, 0.1 to 100. */
  maxDenialRise: number;
  /** Never decides on fewer comparable decisions, 10 to 1000000000. */
  minDecisions: number;
  /** Watches for this time, minutes, 3 to 720; compares it with as much time before the publication. */
  withinMinutes: number;
};

/** State of the guard of a publication. */
export type PublicationGuardState =
  /** An operator ended it. */
  | 'CANCELED'
  /** Denials did not rise above the maximum. */
  | 'PASSED'
  /** Denials rose above the maximum; the publication was reverted. */
  | 'REVERTED'
  /** A newer version was published. */
  | 'SUPERSEDED'
  /** It ended without a decision; the version is still published. */
  | 'UNDECIDED'
  /** It compares denials and may revert the publication. */
  | 'WATCHING';

/** Which tenants that follow the tier get a published version. New tenants always get it. */
export type PublishAudience =
  /** Each when its own billing period ends, in its time zone; pinned until then. */
  | 'AT_PERIOD_END'
  /** A cohort, immediately; the others are pinned until the rollout is expanded. */
  | 'COHORT'
  /** All of them, immediately. */
  | 'EVERYONE_NOW'
  /** None: existing tenants are pinned to their current version. */
  | 'NEW_TENANTS_ONLY';

/** The purchase to cancel. */
export type PurchaseCancelInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the purchase. */
  purchaseId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Source of a purchase event. */
export type PurchaseEventSource =
  /** An invoice. */
  | 'INVOICE'
  /** Stripe. */
  | 'STRIPE'
  /** The test provider. */
  | 'TEST'
  /** Tollgate or one of its users. */
  | 'TOLLGATE';

/** Type of a purchase event. */
export type PurchaseEventType =
  /** An operator approved a payment that needed review. */
  | 'APPROVED'
  /** The order was canceled before it was paid. */
  | 'CANCELED'
  /** A payment was disputed. */
  | 'DISPUTED'
  /** A dispute was lost. */
  | 'DISPUTE_LOST'
  /** A dispute was won. */
  | 'DISPUTE_WON'
  /** A payment was flagged for review; see `reason`. */
  | 'FLAGGED'
  /** A payment was made. */
  | 'PAID'
  /** The payment failed after the checkout was completed. */
  | 'PAYMENT_FAILED'
  /** The checkout was completed; the bank processes the payment. */
  | 'PROCESSING'
  /** A payment was refunded, in full or in part. */
  | 'REFUNDED'
  /** A refund did not reach the customer. */
  | 'REFUND_FAILED'
  /** An operator rejected a payment that needed review. */
  | 'REJECTED'
  /** A renewal could not be charged. */
  | 'RENEWAL_FAILED'
  /** The renewal was resumed. */
  | 'RENEWAL_RESUMED'
  /** The renewal was stopped. */
  | 'RENEWAL_STOPPED'
  /** The provider charges renewals automatically. */
  | 'SUBSCRIBED'
  /** The provider ended the subscription. */
  | 'SUBSCRIPTION_ENDED';

/** The payment to refund. */
export type PurchaseRefundInput = {
  /** Amount to refund; defaults to the remaining amount. */
  amountMinor?: number | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Payment to refund; defaults to the last one. */
  payment?: string | null | undefined;
  /** Id of the purchase. */
  purchaseId: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** An order. */
export type PurchaseStartInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Unit price shown to the buyer. The order is rejected if the price has changed. */
  expectedPriceMinor: number;
  /** Key of the offer. */
  offerKey: string;
  /** Payment method: one of `paymentProviders`. */
  provider: PaymentProvider;
  /** Quantity. */
  quantity?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Path of the console to which the customer returns. */
  returnPath?: string | null | undefined;
  /** Key of the tenant that buys. */
  tenantKey: string;
};

/** Status of a purchase. */
export type PurchaseStatus =
  /** Paid and active. */
  | 'ACTIVE'
  /** The order was canceled, was not paid in time, or its payment failed. */
  | 'CANCELED'
  /** The payment is disputed, or the dispute was lost. */
  | 'DISPUTED'
  /** The last paid period is over, and it was not renewed. */
  | 'EXPIRED'
  /** A payment does not match the order, or its result was not reported for 30 days; an operator has to decide. */
  | 'NEEDS_REVIEW'
  /** The renewal failed; active until `graceEndsAt`. */
  | 'PAST_DUE'
  /** Ordered, not paid. */
  | 'PENDING'
  /** The bank processes the payment, for days if it is a debit. */
  | 'PROCESSING'
  /** The payment was refunded. */
  | 'REFUNDED'
  /** An operator rejected the payment. */
  | 'REJECTED';

/** Calendar period of a quota, in the tenant's time zone. */
export type QuotaPeriod =
  /** From the tenant's `billingAnchorDay`. */
  | 'BILLING'
  /** From midnight. */
  | 'DAY'
  /** From the first of the month. */
  | 'MONTH'
  /** From Monday. */
  | 'WEEK';

/** The quota request to approve. */
export type QuotaRequestApproveInput = {
  /** Reply to the tenant. */
  answer?: string | null | undefined;
  /** How to raise the limit. */
  as?: QuotaRequestGrant | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the request that the caller has read. */
  expectedVersion: number;
  /** End; null or omitted: when it is removed. */
  expiresAt?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The request. */
  requestId: string | number;
};

/** A counter-offer to a quota request. */
export type QuotaRequestCounterInput = {
  /** Reply to the tenant. */
  answer: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the request that the caller has read. */
  expectedVersion: number;
  /** The offered limit, above the current one. */
  offered: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The request. */
  requestId: string | number;
  /** End of the offered limit; omitted: when it is removed. */
  until?: string | null | undefined;
};

/** A quota request. */
export type QuotaRequestCreateInput = {
  /** Key of the API. */
  apiKey: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Name of the limit. */
  limit: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** The requested limit, above the current one. */
  wanted: number;
  /** Reason, for the operator who decides. */
  why: string;
};

/** The quota request to decline. */
export type QuotaRequestDeclineInput = {
  /** Reason, for the tenant. */
  answer: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the request that the caller has read. */
  expectedVersion: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The request. */
  requestId: string | number;
};

/** How an approved request raises the limit. */
export type QuotaRequestGrant =
  /** By an entitlement that adds the difference. */
  | 'ENTITLEMENT'
  /** By an override that sets the limit. */
  | 'OVERRIDE';

/** A quota request of the tenant of the caller. */
export type QuotaRequestOwnInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the request that the caller has read. */
  expectedVersion: number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The request. */
  requestId: string | number;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Status of a quota request. */
export type QuotaRequestStatus =
  /** The limit was raised. */
  | 'APPROVED'
  /** An operator has made a counter-offer. */
  | 'COUNTERED'
  /** The limit was not raised. */
  | 'DECLINED'
  /** Awaits a decision. */
  | 'OPEN'
  /** The tenant withdrew the request. */
  | 'WITHDRAWN';

/** Kind of difference between two revisions. */
export type RevisionDifferenceKind =
  /** Only in the later one. */
  | 'ADDED'
  /** Different in both. */
  | 'CHANGED'
  /** Only in the earlier one. */
  | 'REMOVED';

/** A view to remove. */
export type SavedViewRemoveInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the view. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A view to save. */
export type SavedViewSetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The list, such as `tenants`. */
  list: string;
  /** Name; a view of the same name is replaced. */
  name: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Search part of the address, without `?`. */
  search: string;
};

/** A new service token. */
export type ServiceTokenCreateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** When the token expires; never by default. */
  expiresAt?: string | null | undefined;
  /** Display name, such as its purpose. */
  name: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** One or more of `decide` (call the decision API), `admin` (everything), `read` (read everything), `policy`, `tenants` and `billing` (the permissions of these areas), or single permissions such as `tiers:write`. The caller must hold every permission that it grants. */
  scopes: Array<string>;
  /** Keys of the tenants that operations may name; all by default. */
  tenantKeys?: Array<string> | null | undefined;
};

/** The service token to revoke. */
export type ServiceTokenRevokeInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the token. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The service token to rotate. */
export type ServiceTokenRotateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the token. */
  id: string | number;
  /** Minutes for which the old token stays valid, 0 to 43200 (30 days); 1440 by default. */
  overlapMinutes?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The session to revoke. */
export type SessionRevokeInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the session. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Revokes all sessions except that of this request. */
export type SessionRevokeOthersInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** The simulation to cancel. */
export type SimulationCancelInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The simulation. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A mutation that belongs to the draft. */
export type SimulationChangeInput = {
  /** Name of a mutation of `changeSetCommands`. */
  command: string;
  /** Its input; `expectedVersion`, `dryRun` and `force` have no effect. */
  input: Record<string, unknown>;
};

/** The draft and the recorded time of a simulation; exactly one form of the draft. */
export type SimulationStartInput = {
  /** The draft as a change set. */
  changeSetId?: string | number | null | undefined;
  /** The draft as mutations, in order. */
  changes?: Array<SimulationChangeInput> | null | undefined;
  /** The draft as a configuration: JSON text, as for `configApply`. */
  config?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Length of the recorded time until now. */
  hours?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Only traffic of these tenants; default: of all. */
  tenantKeys?: Array<string> | null | undefined;
};

/** State of a simulation. */
export type SimulationState =
  /** Canceled. */
  | 'CANCELED'
  /** It has a result. */
  | 'DONE'
  /** It has a `message` instead of a result. */
  | 'FAILED'
  /** A worker replays the recording. */
  | 'RUNNING'
  /** Starts as soon as a worker is free. */
  | 'WAITING';

/** A spend cap. */
export type SpendCapSetInput = {
  /** Cap per month, in the smallest unit of the currency; null removes it. */
  amountMinor?: number | null | undefined;
  /** ISO 4217 code. */
  currency: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Whether a limit applies to a subject. */
export type SubjectAccess =
  /** A rule denies all requests of the subject to the API. */
  | 'DENIED'
  /** A rule exempts the subject from it; usage is counted. */
  | 'EXEMPT'
  /** It applies. */
  | 'LIMITED';

/** Effect of a subject rule. Set only the fields of its kind. */
export type SubjectEffectInput = {
  /** Kind of effect. */
  kind: SubjectEffectKind;
  /** SET: the limit, 1 or more. */
  limit?: number | null | undefined;
  /** DENY: text for denied callers, 200 characters at most. */
  message?: string | null | undefined;
  /** MULTIPLY: percentage of the limit, 1 to 1,000,000. */
  percent?: number | null | undefined;
};

/** Effect of a rule on matching requests. */
export type SubjectEffectKind =
  /** Requests are denied, marked BLOCKED. Precedes EXEMPT. */
  | 'DENY'
  /** Limits do not apply; usage is counted. */
  | 'EXEMPT'
  /** Multiplies one limit by a percentage: 200 doubles it. */
  | 'MULTIPLY'
  /** Replaces the number of one limit; burst, capacity and queue keep their proportion. */
  | 'SET';

/** The subject rule to remove. */
export type SubjectRuleRemoveInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** The rule. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant; omitted: a rule for all tenants. */
  tenantKey?: string | null | undefined;
};

/** A rule for some subjects. It replaces another one with the same pattern, API and limit. A tenant has at most 1000 rules. */
export type SubjectRuleSetInput = {
  /** Key of the API; omitted: every API. */
  apiKey?: string | null | undefined;
  /** Dimension, such as `user`, `ip` or `key`. */
  dimension: string;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Effect. */
  effect: SubjectEffectInput;
  /** End, to the second; omitted: when it is removed. */
  expiresAt?: string | null | undefined;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Name of the limit; required for SET and MULTIPLY; with EXEMPT, the only limit to lift. */
  limit?: string | null | undefined;
  /** A value, a prefix and `*`, or for `ip` an address or a network such as 10.0.0.0/8. */
  pattern: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Start; omitted: now. */
  startsAt?: string | null | undefined;
  /** Key of the tenant; omitted: the rule applies to subjects of all tenants (EXEMPT or DENY only). */
  tenantKey?: string | null | undefined;
};

/** A new tenant and its tier. */
export type TenantCreateInput = {
  /** Day of the month on which its billing periods begin, 1 to 31. */
  billingAnchorDay?: number | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Display name. */
  name: string;
  /** Key of its parent, whose limits with `sharedWithChildren` its requests count on too; for good. */
  parentKey?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Tags, 20 at most. */
  tags?: Array<string> | null | undefined;
  /** Key of a tier with a published version. */
  tierKey: string;
  /** IANA name of its time zone. */
  timeZone?: string | null | undefined;
};

/** A part of a limit of the parent that only one child uses. */
export type TenantFloorInput = {
  /** Key of the API. */
  apiKey: string;
  /** Name of a limit that the parent shares. */
  limit: string;
  /** Units of the limit that neither the parent nor siblings use, 1 or more. */
  units: number;
};

/** The floors of a child tenant. */
export type TenantFloorsSetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** All floors of the tenant; others end. */
  floors: Array<TenantFloorInput>;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** A tenant to sign up for. */
export type TenantSignUpInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Email address of the owner. */
  email: string;
  /** Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Display name. */
  name: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Status of a tenant. */
export type TenantStatus =
  /** Requests are decided by its limits. */
  | 'ACTIVE'
  /** Deleted for good: nodes drop it, its API keys stop working, its key is never reused. */
  | 'ARCHIVED'
  /** Every request of it and of its children is denied with reason BLOCKED. */
  | 'SUSPENDED';

/** The tenant to suspend, resume or archive. */
export type TenantStatusInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Changes the tier of a tenant. */
export type TenantTierChangeInput = {
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Number of a published or archived version to pin; omitted: follow the current version. */
  pinnedVersion?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** Key of a tier with a published version. */
  tierKey: string;
};

/** Changes to a tenant; omitted fields stay unchanged. */
export type TenantUpdateInput = {
  /** Day of the month, 1 to 31. */
  billingAnchorDay?: number | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Version of the tenant that the caller has read. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Display name. */
  name?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** All tags, 20 at most. */
  tags?: Array<string> | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** IANA name of its time zone. */
  timeZone?: string | null | undefined;
};

/** The new time of a test clock. */
export type TestClockAdvanceInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** New time: later than the current one, by at most 400 days. */
  to: string;
};

/** Test requests to send. A dry run reads the decision without charging. */
export type TestRequestSendInput = {
  /** Key of the API. */
  apiKey: string;
  /** Number of requests, 1 to 500, sent one after the other. */
  count?: number | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Name of the operation. */
  operation: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Who calls, by dimension. */
  subject?: Array<DecisionSubjectInput> | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
  /** Stop after the first request that is denied. */
  untilDenied?: boolean | null | undefined;
};

/** What happens when a limit is exceeded. */
export type ThrottleInput = {
  /** QUEUE only. The longest delay in milliseconds, 1 to 60000. */
  maxDelayMs?: number | null | undefined;
  /** ELASTIC only. The most that may be borrowed in percent of the limit, 1 to 10000. */
  maxPercent?: number | null | undefined;
  /** The mode. */
  mode: ThrottleMode;
  /** SOFT only. Extra allowance in percent of the limit, 1 to 1000. */
  percent?: number | null | undefined;
  /** ELASTIC only. Name of the pool of the same API to borrow from. */
  pool?: string | null | undefined;
};

/** What happens when a limit is exceeded. */
export type ThrottleMode =
  /** Allowed up to `maxPercent` more while `pool` has spare capacity. */
  | 'ELASTIC'
  /** Denied. */
  | 'HARD'
  /** Allowed with a delay of at most `maxDelayMs`. */
  | 'QUEUE'
  /** Allowed up to `percent` more, marked SOFT_LIMIT; then denied. */
  | 'SOFT';

/** Expands a cohort rollout to more tenants. */
export type TierCohortExtendInput = {
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** The cohort; a percentage includes the tenants of a smaller one. */
  cohort: CohortInput;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** A new tier without limits. */
export type TierCreateInput = {
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters. */
  key: string;
  /** Display name. */
  name: string;
  /** Position in lists of tiers, lowest first. */
  rank?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Labels for selecting it, 20 at most. */
  tags?: Array<string> | null | undefined;
  /** Share of spare pool capacity relative to other tiers, 1 to 1000. */
  weight?: number | null | undefined;
};

/** The draft to discard. */
export type TierDraftDiscardInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the tier that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** The complete draft: limits that are omitted are removed. */
export type TierDraftSaveInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the tier that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** All limits of the draft, in order. */
  limits: Array<LimitInput>;
  /** Description of the change. */
  note?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** The tier to copy, with key and name of the copy. */
export type TierDuplicateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Display name. */
  name: string;
  /** Permanent key: a–z, 0–9 and inner hyphens, at most 48 characters. */
  newKey: string;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier to copy. */
  tierKey: string;
};

/** The tier to archive, restore or delete. */
export type TierLifecycleInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the tier that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** Moves tenants on earlier versions of a tier to the published one. */
export type TierMigrateInput = {
  /** Carry-over of existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** With includePinned: also tenants pinned by a configuration file; requires a reason. The next `configApply` pins them again. */
  force?: boolean | null | undefined;
  /** Only tenants on this version; omitted: any earlier version. */
  fromVersion?: number | null | undefined;
  /** Also tenants pinned manually, not only those pinned by a rollout. */
  includePinned?: boolean | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** The draft or the limits to publish. */
export type TierPublishInput = {
  /** Which tenants get the version. Tenants that are already pinned keep their version. */
  audience?: PublishAudience | null | undefined;
  /** What happens to existing usage. */
  carryOver?: CarryOver | null | undefined;
  /** Required for the audience COHORT, otherwise not allowed. */
  cohort?: CohortInput | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the tier that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Watches denials and reverts; requires a published version and the audience EVERYONE_NOW or COHORT. */
  guard?: PublicationGuardInput | null | undefined;
  /** All limits of the version, in order: saved as the draft and published in one change. */
  limits?: Array<LimitInput> | null | undefined;
  /** With `limits`: description of the change. */
  note?: string | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tier. */
  tierKey: string;
};

/** Changes to a tier; omitted fields keep their values. */
export type TierUpdateInput = {
  /** Description. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version of the tier that the change is based on. */
  expectedVersion: number;
  /** Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it. */
  force?: boolean | null | undefined;
  /** Display name. */
  name?: string | null | undefined;
  /** Position in lists of tiers, lowest first. */
  rank?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Whether new sign-ups start on this tier; true replaces the current sign-up tier. */
  signUp?: boolean | null | undefined;
  /** Labels for selecting it, 20 at most. */
  tags?: Array<string> | null | undefined;
  /** Key of the tier. */
  tierKey: string;
  /** Share of spare pool capacity relative to other tiers, 1 to 1000. */
  weight?: number | null | undefined;
};

/** A version of a tier. */
export type TierVersionRef = {
  /** Key of the tier. */
  tierKey: string;
  /** Number of the version, drafts included. */
  version: number;
};

/** Status of a tier version. */
export type TierVersionStatus =
  /** Replaced by a later version. */
  | 'ARCHIVED'
  /** Editable; no tenant is on it. */
  | 'DRAFT'
  /** Published; immutable. */
  | 'PUBLISHED';

/** When tokens are added. */
export type TokenRefill =
  /** Continuously. */
  | 'CONTINUOUS'
  /** All at the end of each window. */
  | 'INTERVAL';

/** How requests for unregistered operations are decided. */
export type UnknownOperations =
  /** Allowed, marked NO_LIMIT. */
  | 'ALLOW'
  /** Limits that cover every operation of the API apply. */
  | 'COUNT'
  /** Denied, marked BLOCKED. */
  | 'REFUSE';

/** Dimension to group usage by. */
export type UsageGroup =
  /** By API. */
  | 'API'
  /** By deciding limit of each API. */
  | 'LIMIT'
  /** By operation of each API. */
  | 'OPERATION'
  /** By outcome. */
  | 'OUTCOME';

/** Interval of a usage series. */
export type UsageInterval =
  /** One day in the tenant's time zone; available for the last three years. */
  | 'DAY'
  /** One hour in the tenant's time zone; available for the last 90 days. */
  | 'HOUR'
  /** One minute; available for the last two days. */
  | 'MINUTE';

/** Outcome of a decision. */
export type UsageOutcome =
  /** Allowed within the limits. */
  | 'ALLOWED'
  /** Allowed while the counters' Redis was unavailable. */
  | 'DEGRADED_ALLOWED'
  /** Denied while the counters' Redis was unavailable. */
  | 'DEGRADED_DENIED'
  /** Denied by a limit. */
  | 'DENIED'
  /** Allowed: no limit applies. */
  | 'NO_LIMIT'
  /** Allowed above a limit: within the soft band or with borrowed capacity. */
  | 'OVER_LIMIT'
  /** Denied by the API's pool. */
  | 'POOL_DENIED'
  /** Allowed because the limit that would have denied it is in shadow mode. */
  | 'SHADOW_DENIED';

/** What a usage widget shows, and for how long. */
export type UsageWidgetTokenCreateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Lifetime in seconds, 60 to 3600; 3600 by default. */
  lifetimeSeconds?: number | null | undefined;
  /** Limits to show, as `api/limit`; all without. */
  limits?: Array<string> | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant. */
  tenantKey: string;
};

/** Code of a user error. */
export type UserErrorCode =
  /** The object has changed since `expectedVersion`; the payload contains its current state. */
  | 'CONFLICT'
  /** A value is invalid. */
  | 'INVALID'
  /** Another object depends on it. */
  | 'IN_USE'
  /** The object is managed by the configuration file. */
  | 'MANAGED_BY_CONFIG'
  /** There is no draft, or the draft has no limits. */
  | 'NOTHING_TO_PUBLISH'
  /** The offer is not available, or not for this tier. */
  | 'NOT_FOR_SALE'
  /** An object named in the input does not exist. */
  | 'NOT_FOUND'
  /** The purchase would not change any limit of the tenant. */
  | 'NO_EFFECT'
  /** The price differs from the one that the buyer has seen. */
  | 'PRICE_CHANGED'
  /** The payment provider is not available or does not support this. */
  | 'PROVIDER_UNAVAILABLE'
  /** Not enough stock left. */
  | 'SOLD_OUT'
  /** The purchase would exceed the tenant's spend cap. */
  | 'SPEND_CAP'
  /** The name is already in use. */
  | 'TAKEN';

/** Order of tenants. */
export type UtilizationOrder =
  /** By denied requests. */
  | 'DENIED'
  /** By the time at which the first quota is exhausted. */
  | 'EXHAUSTION'
  /** By name. */
  | 'NAME'
  /** By requests. */
  | 'REQUESTS'
  /** By status. */
  | 'STATUS'
  /** By name of the tier. */
  | 'TIER'
  /** By percent of the tightest limit, then by denials. */
  | 'UTILIZATION';

/** The delivery to retry. */
export type WebhookDeliveryRetryInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Id of the delivery. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** Status of a delivery. */
export type WebhookDeliveryStatus =
  /** All attempts failed. It can be retried on request. */
  | 'DEAD'
  /** The receiver returned 2xx. */
  | 'DELIVERED'
  /** An attempt is due or scheduled. */
  | 'PENDING';

/** A new webhook endpoint. */
export type WebhookEndpointCreateInput = {
  /** Purpose. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Event types to send; all if empty. */
  events?: Array<string> | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** Key of the tenant; the operator's own endpoint by default. */
  tenantKey?: string | null | undefined;
  /** An https:// URL that is reachable from the internet. */
  url: string;
};

/** The webhook endpoint whose secret to rotate. */
export type WebhookEndpointRotateInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version that the change is based on. */
  expectedVersion: number;
  /** Id of the endpoint. */
  id: string | number;
  /** Hours for which events are also signed with the previous secret, 0 to 168. */
  overlapHours?: number | null | undefined;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A webhook endpoint. */
export type WebhookEndpointTargetInput = {
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** The version that the change is based on. */
  expectedVersion: number;
  /** Id of the endpoint. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
};

/** A change of a webhook endpoint; omitted fields keep their value. */
export type WebhookEndpointUpdateInput = {
  /** Purpose. */
  description?: string | null | undefined;
  /** Validate and return the result without changing anything. False by default. */
  dryRun?: boolean | null | undefined;
  /** Event types to send; all if empty. */
  events?: Array<string> | null | undefined;
  /** The version that the change is based on. */
  expectedVersion: number;
  /** Id of the endpoint. */
  id: string | number;
  /** Reason, for the audit log. */
  reason?: string | null | undefined;
  /** The new URL. */
  url?: string | null | undefined;
};

/** Status of a webhook endpoint. */
export type WebhookStatus =
  /** Nothing is sent. Events that occur meanwhile are not stored for it. */
  | 'DISABLED'
  /** Events are sent. */
  | 'ENABLED';

export type AlertThresholdRemoveMutationVariables = Exact<{
  input: AlertThresholdRemoveInput;
}>;


export type AlertThresholdRemoveMutation = { alertThresholdRemove: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type AlertThresholdSetMutationVariables = Exact<{
  input: AlertThresholdSetInput;
}>;


export type AlertThresholdSetMutation = { alertThresholdSet: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiCreateMutationVariables = Exact<{
  input: ApiCreateInput;
}>;


export type ApiCreateMutation = { apiCreate: { api: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiDefaultLimitsSetMutationVariables = Exact<{
  input: ApiDefaultLimitsSetInput;
}>;


export type ApiDefaultLimitsSetMutation = { apiDefaultLimitsSet: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiDeleteMutationVariables = Exact<{
  input: ApiDeleteInput;
}>;


export type ApiDeleteMutation = { apiDelete: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiKeyCreateMutationVariables = Exact<{
  input: ApiKeyCreateInput;
}>;


export type ApiKeyCreateMutation = { apiKeyCreate: { key: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiKeyRevokeMutationVariables = Exact<{
  input: ApiKeyRevokeInput;
}>;


export type ApiKeyRevokeMutation = { apiKeyRevoke: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiKeyRotateMutationVariables = Exact<{
  input: ApiKeyRotateInput;
}>;


export type ApiKeyRotateMutation = { apiKeyRotate: { key: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ApiUpdateMutationVariables = Exact<{
  input: ApiUpdateInput;
}>;


export type ApiUpdateMutation = { apiUpdate: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type AutoTopUpSetMutationVariables = Exact<{
  input: AutoTopUpSetInput;
}>;


export type AutoTopUpSetMutation = { autoTopUpSet: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type AutoTopUpTurnOffMutationVariables = Exact<{
  input: AutoTopUpTurnOffInput;
}>;


export type AutoTopUpTurnOffMutation = { autoTopUpTurnOff: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type BillingDetailsSetMutationVariables = Exact<{
  input: BillingDetailsSetInput;
}>;


export type BillingDetailsSetMutation = { billingDetailsSet: { billingDetails: { version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type BoostEndMutationVariables = Exact<{
  input: BoostEndInput;
}>;


export type BoostEndMutation = { boostEnd: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type BoostStartMutationVariables = Exact<{
  input: BoostStartInput;
}>;


export type BoostStartMutation = { boostStart: { changeId: string | null, warnings: Array<string>, preview: Array<{ apiKey: string, limitName: string, limit: number }>, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type BulkActionCancelMutationVariables = Exact<{
  input: BulkActionInput;
}>;


export type BulkActionCancelMutation = { bulkActionCancel: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type BulkActionUndoMutationVariables = Exact<{
  input: BulkActionInput;
}>;


export type BulkActionUndoMutation = { bulkActionUndo: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeRevertMutationVariables = Exact<{
  input: ChangeRevertInput;
}>;


export type ChangeRevertMutation = { changeRevert: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type EntitlementGrantMutationVariables = Exact<{
  input: EntitlementGrantInput;
}>;


export type EntitlementGrantMutation = { entitlementGrant: { changeId: string | null, warnings: Array<string>, preview: Array<{ apiKey: string, limitName: string, limit: number }>, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type EntitlementRevokeMutationVariables = Exact<{
  input: EntitlementRevokeInput;
}>;


export type EntitlementRevokeMutation = { entitlementRevoke: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type InstallationUpdateMutationVariables = Exact<{
  input: InstallationUpdateInput;
}>;


export type InstallationUpdateMutation = { installationUpdate: { installation: { version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type InvitationAcceptMutationVariables = Exact<{
  input: InvitationAcceptInput;
}>;


export type InvitationAcceptMutation = { invitationAccept: { email: string | null, tenantKey: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type InvitationResendMutationVariables = Exact<{
  input: InvitationTargetInput;
}>;


export type InvitationResendMutation = { invitationResend: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type InvitationRevokeMutationVariables = Exact<{
  input: InvitationTargetInput;
}>;


export type InvitationRevokeMutation = { invitationRevoke: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type InvoiceMarkPaidMutationVariables = Exact<{
  input: InvoiceMarkPaidInput;
}>;


export type InvoiceMarkPaidMutation = { invoiceMarkPaid: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type InvoiceVoidMutationVariables = Exact<{
  input: InvoiceVoidInput;
}>;


export type InvoiceVoidMutation = { invoiceVoid: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type JobQueuePauseMutationVariables = Exact<{
  input: JobQueueTargetInput;
}>;


export type JobQueuePauseMutation = { jobQueuePause: { queue: { paused: boolean } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type JobQueueResumeMutationVariables = Exact<{
  input: JobQueueTargetInput;
}>;


export type JobQueueResumeMutation = { jobQueueResume: { queue: { paused: boolean } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type JobRemoveMutationVariables = Exact<{
  input: JobTargetInput;
}>;


export type JobRemoveMutation = { jobRemove: { job: { state: JobState } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type JobRetryMutationVariables = Exact<{
  input: JobTargetInput;
}>;


export type JobRetryMutation = { jobRetry: { job: { state: JobState } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type MemberInviteMutationVariables = Exact<{
  input: MemberInviteInput;
}>;


export type MemberInviteMutation = { memberInvite: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type MemberRemoveMutationVariables = Exact<{
  input: MemberRemoveInput;
}>;


export type MemberRemoveMutation = { memberRemove: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type MemberRoleChangeMutationVariables = Exact<{
  input: MemberRoleChangeInput;
}>;


export type MemberRoleChangeMutation = { memberRoleChange: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type NodeRetireMutationVariables = Exact<{
  input: NodeRetireInput;
}>;


export type NodeRetireMutation = { nodeRetire: { node: { nodeId: string, retiredAt: string | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type NoticesMarkReadMutationVariables = Exact<{
  input: NoticesMarkReadInput;
}>;


export type NoticesMarkReadMutation = { noticesMarkRead: { unread: number, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OfferActivateMutationVariables = Exact<{
  input: OfferChangeInput;
}>;


export type OfferActivateMutation = { offerActivate: { offer: { key: string, status: OfferStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OfferArchiveMutationVariables = Exact<{
  input: OfferChangeInput;
}>;


export type OfferArchiveMutation = { offerArchive: { offer: { key: string, status: OfferStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OfferPriceConfirmMutationVariables = Exact<{
  input: OfferChangeInput;
}>;


export type OfferPriceConfirmMutation = { offerPriceConfirm: { offer: { key: string, isPriceConfirmed: boolean } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OfferCreateMutationVariables = Exact<{
  input: OfferCreateInput;
}>;


export type OfferCreateMutation = { offerCreate: { offer: { key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OfferUpdateMutationVariables = Exact<{
  input: OfferUpdateInput;
}>;


export type OfferUpdateMutation = { offerUpdate: { offer: { key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperationCreateMutationVariables = Exact<{
  input: OperationCreateInput;
}>;


export type OperationCreateMutation = { operationCreate: { impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperationDeleteMutationVariables = Exact<{
  input: OperationDeleteInput;
}>;


export type OperationDeleteMutation = { operationDelete: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperationUpdateMutationVariables = Exact<{
  input: OperationUpdateInput;
}>;


export type OperationUpdateMutation = { operationUpdate: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperatorInviteMutationVariables = Exact<{
  input: OperatorInviteInput;
}>;


export type OperatorInviteMutation = { operatorInvite: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperatorRemoveMutationVariables = Exact<{
  input: OperatorStatusInput;
}>;


export type OperatorRemoveMutation = { operatorRemove: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperatorResumeMutationVariables = Exact<{
  input: OperatorStatusInput;
}>;


export type OperatorResumeMutation = { operatorResume: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperatorRoleChangeMutationVariables = Exact<{
  input: OperatorRoleChangeInput;
}>;


export type OperatorRoleChangeMutation = { operatorRoleChange: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperatorSuspendMutationVariables = Exact<{
  input: OperatorStatusInput;
}>;


export type OperatorSuspendMutation = { operatorSuspend: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OverrideRemoveMutationVariables = Exact<{
  input: OverrideRemoveInput;
}>;


export type OverrideRemoveMutation = { overrideRemove: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OverrideSetMutationVariables = Exact<{
  input: OverrideSetInput;
}>;


export type OverrideSetMutation = { overrideSet: { changeId: string | null, warnings: Array<string>, preview: Array<{ apiKey: string, limitName: string, limit: number }>, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OwnLimitRemoveMutationVariables = Exact<{
  input: OwnLimitRemoveInput;
}>;


export type OwnLimitRemoveMutation = { ownLimitRemove: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OwnLimitSetMutationVariables = Exact<{
  input: OwnLimitSetInput;
}>;


export type OwnLimitSetMutation = { ownLimitSet: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PasswordResetRequestMutationVariables = Exact<{
  input: PasswordResetRequestInput;
}>;


export type PasswordResetRequestMutation = { passwordResetRequest: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PaymentCardLinkMutationVariables = Exact<{
  input: PaymentCardLinkInput;
}>;


export type PaymentCardLinkMutation = { paymentCardLink: { url: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PaymentEventDismissMutationVariables = Exact<{
  input: PaymentEventDismissInput;
}>;


export type PaymentEventDismissMutation = { paymentEventDismiss: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PaymentEventRetryMutationVariables = Exact<{
  input: PaymentEventRetryInput;
}>;


export type PaymentEventRetryMutation = { paymentEventRetry: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PaymentPortalLinkMutationVariables = Exact<{
  input: PaymentPortalLinkInput;
}>;


export type PaymentPortalLinkMutation = { paymentPortalLink: { url: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PoolCreateMutationVariables = Exact<{
  input: PoolCreateInput;
}>;


export type PoolCreateMutation = { poolCreate: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PoolDeleteMutationVariables = Exact<{
  input: PoolDeleteInput;
}>;


export type PoolDeleteMutation = { poolDelete: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PoolUpdateMutationVariables = Exact<{
  input: PoolUpdateInput;
}>;


export type PoolUpdateMutation = { poolUpdate: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PublicationGuardCancelMutationVariables = Exact<{
  input: PublicationGuardCancelInput;
}>;


export type PublicationGuardCancelMutation = { publicationGuardCancel: { guard: { id: string, state: PublicationGuardState } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PurchaseApproveMutationVariables = Exact<{
  input: PaymentDecisionInput;
}>;


export type PurchaseApproveMutation = { purchaseApprove: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PurchaseCancelMutationVariables = Exact<{
  input: PurchaseCancelInput;
}>;


export type PurchaseCancelMutation = { purchaseCancel: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PurchaseRefundMutationVariables = Exact<{
  input: PurchaseRefundInput;
}>;


export type PurchaseRefundMutation = { purchaseRefund: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PurchaseRejectMutationVariables = Exact<{
  input: PaymentDecisionInput;
}>;


export type PurchaseRejectMutation = { purchaseReject: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PurchaseStartMutationVariables = Exact<{
  input: PurchaseStartInput;
}>;


export type PurchaseStartMutation = { purchaseStart: { purchase: { id: string, checkoutUrl: string | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PurchaseStopRetryMutationVariables = Exact<{
  input: PurchaseCancelInput;
}>;


export type PurchaseStopRetryMutation = { purchaseStopRetry: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type QuotaRequestAcceptMutationVariables = Exact<{
  input: QuotaRequestOwnInput;
}>;


export type QuotaRequestAcceptMutation = { quotaRequestAccept: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type QuotaRequestApproveMutationVariables = Exact<{
  input: QuotaRequestApproveInput;
}>;


export type QuotaRequestApproveMutation = { quotaRequestApprove: { changeId: string | null, warnings: Array<string>, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type QuotaRequestCounterMutationVariables = Exact<{
  input: QuotaRequestCounterInput;
}>;


export type QuotaRequestCounterMutation = { quotaRequestCounter: { changeId: string | null, warnings: Array<string>, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type QuotaRequestCreateMutationVariables = Exact<{
  input: QuotaRequestCreateInput;
}>;


export type QuotaRequestCreateMutation = { quotaRequestCreate: { request: { id: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type QuotaRequestDeclineMutationVariables = Exact<{
  input: QuotaRequestDeclineInput;
}>;


export type QuotaRequestDeclineMutation = { quotaRequestDecline: { changeId: string | null, warnings: Array<string>, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type QuotaRequestWithdrawMutationVariables = Exact<{
  input: QuotaRequestOwnInput;
}>;


export type QuotaRequestWithdrawMutation = { quotaRequestWithdraw: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SavedViewRemoveMutationVariables = Exact<{
  input: SavedViewRemoveInput;
}>;


export type SavedViewRemoveMutation = { savedViewRemove: { views: Array<{ id: string }> | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SavedViewSetMutationVariables = Exact<{
  input: SavedViewSetInput;
}>;


export type SavedViewSetMutation = { savedViewSet: { views: Array<{ id: string }> | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ServiceTokenCreateMutationVariables = Exact<{
  input: ServiceTokenCreateInput;
}>;


export type ServiceTokenCreateMutation = { serviceTokenCreate: { token: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ServiceTokenRevokeMutationVariables = Exact<{
  input: ServiceTokenRevokeInput;
}>;


export type ServiceTokenRevokeMutation = { serviceTokenRevoke: { serviceToken: { id: string, revokedAt: string | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ServiceTokenRotateMutationVariables = Exact<{
  input: ServiceTokenRotateInput;
}>;


export type ServiceTokenRotateMutation = { serviceTokenRotate: { token: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SessionRevokeMutationVariables = Exact<{
  input: SessionRevokeInput;
}>;


export type SessionRevokeMutation = { sessionRevoke: { revoked: number, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SessionRevokeOthersMutationVariables = Exact<{
  input: SessionRevokeOthersInput;
}>;


export type SessionRevokeOthersMutation = { sessionRevokeOthers: { revoked: number, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SpendCapSetMutationVariables = Exact<{
  input: SpendCapSetInput;
}>;


export type SpendCapSetMutation = { spendCapSet: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SubjectRuleRemoveMutationVariables = Exact<{
  input: SubjectRuleRemoveInput;
}>;


export type SubjectRuleRemoveMutation = { subjectRuleRemove: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SubjectRuleSetMutationVariables = Exact<{
  input: SubjectRuleSetInput;
}>;


export type SubjectRuleSetMutation = { subjectRuleSet: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantArchiveMutationVariables = Exact<{
  input: TenantStatusInput;
}>;


export type TenantArchiveMutation = { tenantArchive: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantCreateMutationVariables = Exact<{
  input: TenantCreateInput;
}>;


export type TenantCreateMutation = { tenantCreate: { changeId: string | null, tenant: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantFloorsSetMutationVariables = Exact<{
  input: TenantFloorsSetInput;
}>;


export type TenantFloorsSetMutation = { tenantFloorsSet: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantResumeMutationVariables = Exact<{
  input: TenantStatusInput;
}>;


export type TenantResumeMutation = { tenantResume: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantSignUpMutationVariables = Exact<{
  input: TenantSignUpInput;
}>;


export type TenantSignUpMutation = { tenantSignUp: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantSuspendMutationVariables = Exact<{
  input: TenantStatusInput;
}>;


export type TenantSuspendMutation = { tenantSuspend: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantTierChangeMutationVariables = Exact<{
  input: TenantTierChangeInput;
}>;


export type TenantTierChangeMutation = { tenantTierChange: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantUpdateMutationVariables = Exact<{
  input: TenantUpdateInput;
}>;


export type TenantUpdateMutation = { tenantUpdate: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TestClockAdvanceMutationVariables = Exact<{
  input: TestClockAdvanceInput;
}>;


export type TestClockAdvanceMutation = { testClockAdvance: { clock: { now: string, isTest: boolean } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierArchiveMutationVariables = Exact<{
  input: TierLifecycleInput;
}>;


export type TierArchiveMutation = { tierArchive: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierCohortExtendMutationVariables = Exact<{
  input: TierCohortExtendInput;
}>;


export type TierCohortExtendMutation = { tierCohortExtend: { tenants: number, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierCreateMutationVariables = Exact<{
  input: TierCreateInput;
}>;


export type TierCreateMutation = { tierCreate: { tier: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierDeleteMutationVariables = Exact<{
  input: TierLifecycleInput;
}>;


export type TierDeleteMutation = { tierDelete: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierDraftDiscardMutationVariables = Exact<{
  input: TierDraftDiscardInput;
}>;


export type TierDraftDiscardMutation = { tierDraftDiscard: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierDraftSaveMutationVariables = Exact<{
  input: TierDraftSaveInput;
}>;


export type TierDraftSaveMutation = { tierDraftSave: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierDuplicateMutationVariables = Exact<{
  input: TierDuplicateInput;
}>;


export type TierDuplicateMutation = { tierDuplicate: { tier: { id: string, key: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierMigrateMutationVariables = Exact<{
  input: TierMigrateInput;
}>;


export type TierMigrateMutation = { tierMigrate: { tenants: number, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierRestoreMutationVariables = Exact<{
  input: TierLifecycleInput;
}>;


export type TierRestoreMutation = { tierRestore: { tier: { id: string, version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierUpdateMutationVariables = Exact<{
  input: TierUpdateInput;
}>;


export type TierUpdateMutation = { tierUpdate: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type UsageWidgetTokenCreateMutationVariables = Exact<{
  input: UsageWidgetTokenCreateInput;
}>;


export type UsageWidgetTokenCreateMutation = { usageWidgetTokenCreate: { url: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type PaletteSearchQueryVariables = Exact<{
  text: string;
  status?: TenantStatus | null | undefined;
}>;


export type PaletteSearchQuery = { tenants: { nodes: Array<{ key: string, name: string }> }, apis: { nodes: Array<{ key: string, name: string }> }, tiers: { nodes: Array<{ key: string, name: string, draft: { id: string } | null }> } };

export type PaletteNodeQueryVariables = Exact<{
  id: string | number;
}>;


export type PaletteNodeQuery = { node:
    | { __typename: 'Api', id: string, apiKeyName: string }
    | { __typename: 'ApiKey', id: string }
    | { __typename: 'AuditEntry', entityId: string, id: string }
    | { __typename: 'BulkAction', id: string }
    | { __typename: 'ChangeSet', id: string }
    | { __typename: 'Entitlement', id: string }
    | { __typename: 'Invoice', id: string }
    | { __typename: 'Limit', id: string }
    | { __typename: 'Notice', id: string }
    | { __typename: 'Offer', id: string, offerKey: string }
    | { __typename: 'Operation', id: string }
    | { __typename: 'Operator', id: string }
    | { __typename: 'Override', id: string }
    | { __typename: 'Pool', id: string }
    | { __typename: 'PublicationGuard', id: string }
    | { __typename: 'Purchase', id: string }
    | { __typename: 'QuotaRequest', id: string }
    | { __typename: 'ServiceToken', id: string }
    | { __typename: 'SubjectRule', id: string }
    | { __typename: 'Tenant', id: string, tenantKey: string }
    | { __typename: 'Tier', id: string, tierKey: string }
    | { __typename: 'TierVersion', id: string }
    | { __typename: 'WebhookDelivery', id: string }
    | { __typename: 'WebhookEndpoint', id: string }
   | null };

export type MatchingTenantsQueryVariables = Exact<{
  search?: string | null | undefined;
}>;


export type MatchingTenantsQuery = { tenants: { nodes: Array<{ id: string, key: string, name: string, parentKey: string | null }> } };

export type AccountSecurityQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountSecurityQuery = { accountSecurity: { twoFactorEnabled: boolean, recoveryCodesLeft: number, passkeys: Array<{ id: string, name: string | null, createdAt: string, backedUp: boolean }>, sessions: Array<{ id: string, userAgent: string | null, ipAddress: string | null, createdAt: string, lastUsedAt: string, isCurrent: boolean }> } | null };

export type TenantAdjustmentsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type TenantAdjustmentsQuery = { overrides: { totalCount: number, nodes: Array<{ id: string, kind: OverrideKind, status: OverrideStatus, apiKey: string | null, limit: string | null, appliesTo: LimitClass | null, reason: string | null, startsAt: string, endsAt: string | null, createdAt: string, createdBy: string, removedAt: string | null, effect: { kind: EffectKind, units: number | null, percent: number | null, limit: number | null } }> }, entitlements: { totalCount: number, nodes: Array<{ id: string, source: EntitlementSource, cause: EntitlementCause, label: string, purchaseId: string | null, apiKey: string | null, limit: string | null, appliesTo: LimitClass | null, startsAt: string, endsAt: string | null, unitsExpireAt: string | null, remaining: number | null, inForce: boolean, createdAt: string, actor: string, effect: { kind: EffectKind, units: number | null, percent: number | null, limit: number | null } }> } };

export type SubjectRulesQueryVariables = Exact<{
  tenantKey?: string | null | undefined;
  live: boolean;
  kind?: SubjectEffectKind | null | undefined;
  search?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type SubjectRulesQuery = { subjectRules: { totalCount: number, nodes: Array<{ id: string, dimension: string, pattern: string, apiKey: string | null, limit: string | null, status: OverrideStatus, reason: string | null, startsAt: string, endsAt: string | null, createdBy: string, createdAt: string, removedBy: string | null, removedAt: string | null, managedBy: ManagedBy, effect: { kind: SubjectEffectKind, limit: number | null, percent: number | null, message: string | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AlertThresholdsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type AlertThresholdsQuery = { alertThresholds: Array<{ id: string, apiKey: string | null, limitName: string | null, percents: Array<number> }> };

export type ApiKeysQueryVariables = Exact<{
  tenantKey: string;
  first: number;
  after?: string | null | undefined;
}>;


export type ApiKeysQuery = { apiKeys: { totalCount: number, nodes: Array<{ id: string, name: string, mode: ApiKeyMode, publicId: string, scopes: Array<string>, createdAt: string, createdBy: string, expiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, secrets: Array<{ lastFour: string, endsAt: string | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ApisQueryVariables = Exact<{ [key: string]: never; }>;


export type ApisQuery = { apis: { totalCount: number, nodes: Array<{ id: string, key: string, name: string, description: string, unknownOperations: UnknownOperations, operations: Array<{ id: string, name: string, cost: number }> }> } };

export type ApiQueryVariables = Exact<{
  key: string;
}>;


export type ApiQuery = { api: { id: string, key: string, name: string, description: string, unknownOperations: UnknownOperations, headerStyles: Array<HeaderStyle>, tags: Array<string>, managedBy: ManagedBy, version: number, createdAt: string, operations: Array<{ id: string, name: string, description: string, cost: number, priority: Priority }>, pools: Array<{ id: string, name: string, operations: Array<string>, capacity: number, reclaimPercent: number, warmUp: { ms: number, startPercent: number } | null }>, defaultLimits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> } | null };

export type TiersOfApiQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type TiersOfApiQuery = { tiers: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, key: string, name: string, rank: number, published: { id: string, limits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> } | null }> } };

export type PoolsLiveQueryVariables = Exact<{
  key: string;
}>;


export type PoolsLiveQuery = { api: { id: string, pools: Array<{ id: string, live: { capacity: number, admitted: number, borrowed: number, spare: number, borrowers: number, nodes: number, warmUpLeftMs: number } | null }> } | null };

export type DiscoveredOperationsQueryVariables = Exact<{
  apiKey?: string | null | undefined;
}>;


export type DiscoveredOperationsQuery = { discoveredOperations: Array<{ apiKey: string, apiKnown: boolean, operation: string, known: boolean, count: number, tenants: number, lastHour: string }> };

export type AuditEntriesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  tenant?: string | null | undefined;
  actor?: string | null | undefined;
  action?: string | null | undefined;
  entityId?: string | null | undefined;
  changeId?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type AuditEntriesQuery = { auditEntries: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, at: string, actor: string, actorKind: ActorKind, action: string, entity: string, entityId: string, entityName: string | null, entityKey: string | null, revertedName: string | null, tenantKey: string | null, before: unknown, after: unknown, reason: string | null, requestId: string | null, changeId: string, address: string | null, userAgent: string | null, chain: string, sequence: number, hash: string }> } };

export type AuditVerifyQueryVariables = Exact<{
  tenantKey?: string | null | undefined;
}>;


export type AuditVerifyQuery = { auditVerify: { ok: boolean, chains: number, entries: number, unsignedChains: number, brokenChains: number, breaks: Array<{ chain: string, sequence: number, problem: string }> } };

export type BulkActionsQueryVariables = Exact<{ [key: string]: never; }>;


export type BulkActionsQuery = { bulkActions: { nodes: Array<{ id: string, kind: BulkActionKind, status: BulkActionStatus, input: Record<string, unknown>, reason: string, startedBy: string, createdAt: string, finishedAt: string | null, revertedById: string | null, stoppedBecause: string | null, progress: { total: number, pending: number, done: number, failed: number, canceled: number } }> } };

export type BulkFailuresQueryVariables = Exact<{
  id: string | number;
}>;


export type BulkFailuresQuery = { bulkAction: { id: string, items: { nodes: Array<{ tenantKey: string, error: string | null }> } } | null };

export type BulkActionStartMutationVariables = Exact<{
  input: BulkActionStartInput;
}>;


export type BulkActionStartMutation = { bulkActionStart: { tenants: number, tried: number, refusals: Array<{ tenantKey: string, message: string }>, impact: { tenants: number, increased: number, decreased: number } | null, bulkAction: { id: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ChangeSetsQuery = { changeSets: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, title: string, status: ChangeSetStatus, version: number, author: string, createdAt: string, scheduledAt: string | null, items: Array<{ id: string }> }> } };

export type ChangeSetQueryVariables = Exact<{
  id: string | number;
}>;


export type ChangeSetQuery = { changeSet: { id: string, title: string, description: string, status: ChangeSetStatus, version: number, author: string, createdAt: string, reviewedBy: string | null, reviewedAt: string | null, note: string | null, scheduledAt: string | null, appliedAt: string | null, appliedBy: string | null, changeId: string | null, revertsId: string | null, items: Array<{ id: string, command: string, input: unknown }>, diff: { stale: boolean, entries: Array<{ item: number, action: string, entity: string, entityId: string, tenantKey: string | null, fields: Array<{ path: string, before: unknown, after: unknown }> }>, errors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }>, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null } } | null };

export type ChangeSetOutcomeFragment = { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> };

export type ChangeSetSubmitMutationVariables = Exact<{
  input: ChangeSetInput;
}>;


export type ChangeSetSubmitMutation = { changeSetSubmit: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetApproveMutationVariables = Exact<{
  input: ChangeSetReviewInput;
}>;


export type ChangeSetApproveMutation = { changeSetApprove: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetRejectMutationVariables = Exact<{
  input: ChangeSetReviewInput;
}>;


export type ChangeSetRejectMutation = { changeSetReject: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetApplyMutationVariables = Exact<{
  input: ChangeSetInput;
}>;


export type ChangeSetApplyMutation = { changeSetApply: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetCancelMutationVariables = Exact<{
  input: ChangeSetInput;
}>;


export type ChangeSetCancelMutation = { changeSetCancel: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetRevertMutationVariables = Exact<{
  input: ChangeSetInput;
}>;


export type ChangeSetRevertMutation = { changeSetRevert: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetScheduleMutationVariables = Exact<{
  input: ChangeSetScheduleInput;
}>;


export type ChangeSetScheduleMutation = { changeSetSchedule: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetRemoveItemMutationVariables = Exact<{
  input: ChangeSetRemoveItemInput;
}>;


export type ChangeSetRemoveItemMutation = { changeSetRemoveItem: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetCreateMutationVariables = Exact<{
  input: ChangeSetCreateInput;
}>;


export type ChangeSetCreateMutation = { changeSetCreate: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ChangeSetAddItemMutationVariables = Exact<{
  input: ChangeSetAddItemInput;
}>;


export type ChangeSetAddItemMutation = { changeSetAddItem: { changeId: string | null, changeSet: { id: string, title: string, version: number, status: ChangeSetStatus } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WhyQueryVariables = Exact<{
  text: string;
  publicId: string;
}>;


export type WhyQuery = { decision: { id: string, tenantKey: string, requestId: string, at: string, nodeId: string, apiKey: string, operation: string, cost: number, outcome: UsageOutcome, reason: DecisionReason, ruleId: string | null, limitName: string | null, retryAfter: number | null, delayMs: number, revision: number, subject: Array<{ dimension: string, pseudonym: string }>, policies: Array<{ limitName: string, label: string | null, limit: number, remaining: number, resetAt: string, mode: PolicyMode, success: boolean }> } | null, tenantOfApiKey: { id: string, key: string } | null, tenant: { id: string, key: string } | null };

export type PastLimitFieldsFragment = { tierName: string, tierVersion: number, since: string | null, limit: { tierLimit: number, provenance: Array<{ adjustmentId: string, label: string, source: LimitSource, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } } };

export type DeniedRequestQueryVariables = Exact<{
  link: string;
}>;


export type DeniedRequestQuery = { deniedRequest: { requestId: string, at: string, reason: DecisionReason, limitName: string | null, retryAfter: number | null, origin: { tenantKey: string, apiKey: string, operation: string, limitName: string | null, past: { tierName: string, tierVersion: number, since: string | null, limit: { tierLimit: number, provenance: Array<{ adjustmentId: string, label: string, source: LimitSource, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } } } | null } | null } | null };

export type ExplanationQueryVariables = Exact<{
  tenantKey: string;
  requestId: string;
}>;


export type ExplanationQuery = { decisionExplanation: { sharedBy: string | null, decision: { requestId: string, at: string, apiKey: string, operation: string, limitName: string | null, cost: number, outcome: UsageOutcome, reason: DecisionReason, ruleId: string | null, retryAfter: number | null }, limits: Array<{ limitName: string, label: string | null, mode: PolicyMode, success: boolean, limit: number, before: number, after: number, sufficient: { field: CapacityField, value: number } | null }>, passing: { at: string | null, cost: number | null } | null, rule: { id: string, dimension: string, pattern: string, kind: SubjectEffectKind, forAllTenants: boolean, live: boolean } | null, past: { tierName: string, tierVersion: number, since: string | null, limit: { tierLimit: number, provenance: Array<{ adjustmentId: string, label: string, source: LimitSource, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } } } | null, today: { limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } } | null, minute: { from: string, to: string, counted: number, replayProblem: CounterReplayProblem | null, points: Array<{ at: string, requestId: string, remaining: number, cost: number, success: boolean }>, replay: { from: string, to: string, limit: number, decisions: number, compared: number, mismatches: number, reliable: boolean, steps: Array<{ at: string, left: number, allowed: number, denied: number }> } | null } | null } | null };

export type RecentDenialsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type RecentDenialsQuery = { decisions: { nodes: Array<{ id: string, requestId: string, at: string, apiKey: string, operation: string, limitName: string | null, reason: DecisionReason, subject: Array<{ dimension: string, pseudonym: string }> }> } };

export type LadderFieldsFragment = { revision: number, publishedAt: string | null, tierKey: string, tierName: string, tierVersion: number, limit: { source: LimitSource, tierLimit: number, provenance: Array<{ source: LimitSource, adjustmentId: string, label: string, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } }, sources: Array<{ adjustmentId: string, actor: string, reason: string | null, purchaseId: string | null, changeId: string | null }>, tierChange: { changeId: string, actor: string, action: string, reason: string | null, changeSetId: string | null, changeSetTitle: string | null } | null, introduced: { revision: number, at: string, isScheduled: boolean, changes: Array<{ changeId: string, actor: string, action: string, reason: string | null, changeSetId: string | null, changeSetTitle: string | null }> } | null };

export type LadderQueryVariables = Exact<{
  tenantKey: string;
  apiKey: string;
  limitName: string;
  revision: number;
  at: string;
  rule?: string | number | null | undefined;
  liveRule?: string | number | null | undefined;
}>;


export type LadderQuery = { past: { revision: number, publishedAt: string | null, tierKey: string, tierName: string, tierVersion: number, limit: { source: LimitSource, tierLimit: number, provenance: Array<{ source: LimitSource, adjustmentId: string, label: string, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } }, sources: Array<{ adjustmentId: string, actor: string, reason: string | null, purchaseId: string | null, changeId: string | null }>, tierChange: { changeId: string, actor: string, action: string, reason: string | null, changeSetId: string | null, changeSetTitle: string | null } | null, introduced: { revision: number, at: string, isScheduled: boolean, changes: Array<{ changeId: string, actor: string, action: string, reason: string | null, changeSetId: string | null, changeSetTitle: string | null }> } | null } | null, today: { revision: number, publishedAt: string | null, tierKey: string, tierName: string, tierVersion: number, limit: { source: LimitSource, tierLimit: number, provenance: Array<{ source: LimitSource, adjustmentId: string, label: string, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } }, sources: Array<{ adjustmentId: string, actor: string, reason: string | null, purchaseId: string | null, changeId: string | null }>, tierChange: { changeId: string, actor: string, action: string, reason: string | null, changeSetId: string | null, changeSetTitle: string | null } | null, introduced: { revision: number, at: string, isScheduled: boolean, changes: Array<{ changeId: string, actor: string, action: string, reason: string | null, changeSetId: string | null, changeSetTitle: string | null }> } | null } | null };

export type InstallationSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type InstallationSettingsQuery = { installationSettings: { productName: string, accent: string | null, logo: string | null, companyName: string, address: string, taxId: string, registration: string, contact: string, invoiceNote: string, taxLabel: string, taxBasisPoints: number, embedOrigins: Array<string>, version: number } };

export type JobsQueryVariables = Exact<{
  state?: JobState | null | undefined;
}>;


export type JobsQuery = { jobQueues: Array<{ name: string, paused: boolean, counts: Array<{ state: JobState, count: number }> }>, jobs: Array<{ id: string, queue: string, name: string, state: JobState, attempts: number, maxAttempts: number, error: string | null, stack: string | null, data: string, everyMs: number | null, at: string }> };

export type InvitationQueryVariables = Exact<{
  token: string;
}>;


export type InvitationQuery = { invitation: { email: string, to: string, role: string, hasAccount: boolean, expiresAt: string } | null };

export type SignUpOpenQueryVariables = Exact<{ [key: string]: never; }>;


export type SignUpOpenQuery = { installation: { signUp: boolean } };

export type LiveExampleQueryVariables = Exact<{ [key: string]: never; }>;


export type LiveExampleQuery = { tenants: { nodes: Array<{ key: string }> }, apis: { nodes: Array<{ key: string, operations: Array<{ name: string }> }> } };

export type DecisionSecondsSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type DecisionSecondsSubscription = { decisionSeconds: Array<{ at: string, nodes: number, apis: Array<{ allowed: number, denied: number, api: string }>, mostDenied: Array<{ denied: number, tenant: string }> }> };

export type TenantPeopleQueryVariables = Exact<{
  tenantKey: string;
}>;


export type TenantPeopleQuery = { tenant: { name: string, members: Array<{ id: string, name: string, email: string, role: MemberRole }> } | null, invitations: { nodes: Array<{ id: string, email: string, role: MemberRole | null, invitedBy: string, expiresAt: string, createdAt: string }> } };

export type DecisionNodesQueryVariables = Exact<{
  includeRetired?: boolean | null | undefined;
}>;


export type DecisionNodesQuery = { decisionNodes: Array<{ nodeId: string, epoch: string, version: string, startedAt: string, seenAt: string, revision: number, applyLatencyMs: number | null, degraded: boolean, stale: boolean, policyAgeMs: number | null, policyStale: boolean, retiredAt: string | null, nack: { revision: number, reason: string } | null }>, currentRevision: { number: number, publishedAt: string, hash: string } | null };

export type PropagationQueryVariables = Exact<{
  changeId: string | number;
}>;


export type PropagationQuery = { propagation: { changeId: string, state: PropagationState, revision: number | null, publishedAt: string | null, liveNodes: number, totalNodes: number, slowestMs: number | null, nodes: Array<{ nodeId: string, live: boolean, latencyMs: number | null, nack: { revision: number, reason: string } | null }> } | null };

export type UndoTimeQueryVariables = Exact<{ [key: string]: never; }>;


export type UndoTimeQuery = { installation: { undoSeconds: number } };

export type RecentChangesQueryVariables = Exact<{
  first: number;
}>;


export type RecentChangesQuery = { revisions: { nodes: Array<{ number: number, changes: Array<{ changeId: string, at: string, actor: string, action: string, entity: string, entityId: string, entityName: string | null, entityKey: string | null, tenantKey: string | null }> }> } };

export type NoticeAddedSubscriptionVariables = Exact<{
  tenantKey?: string | null | undefined;
}>;


export type NoticeAddedSubscription = { noticeAdded: { id: string } };

export type NoticesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  tenantKey?: string | null | undefined;
}>;


export type NoticesQuery = { notices: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, kind: string, severity: NoticeSeverity, title: string, data: unknown, tenantKey: string | null, createdAt: string }> } };

export type NoticesUnreadQueryVariables = Exact<{
  tenantKey?: string | null | undefined;
}>;


export type NoticesUnreadQuery = { noticesUnread: number };

export type OfferFieldsFragment = { id: string, key: string, name: string, description: string, kind: OfferKind, status: OfferStatus, isPriceConfirmed: boolean, priceMinor: number, currency: string, interval: BillingInterval | null, validDays: number | null, graceDays: number, tierKeys: Array<string>, maxQuantity: number, stock: number | null, stockLeft: number | null, carryOver: CarryOver, version: number, createdAt: string, effects: Array<{ apiKey: string | null, limitName: string | null, appliesTo: OfferEffectTarget | null, kind: OfferEffectKind, units: number | null, percent: number | null }> };

export type OffersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: OfferStatus | null | undefined;
}>;


export type OffersQuery = { offers: { totalCount: number, nodes: Array<{ id: string, key: string, name: string, description: string, kind: OfferKind, status: OfferStatus, isPriceConfirmed: boolean, priceMinor: number, currency: string, interval: BillingInterval | null, validDays: number | null, graceDays: number, tierKeys: Array<string>, maxQuantity: number, stock: number | null, stockLeft: number | null, carryOver: CarryOver, version: number, createdAt: string, effects: Array<{ apiKey: string | null, limitName: string | null, appliesTo: OfferEffectTarget | null, kind: OfferEffectKind, units: number | null, percent: number | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type OfferQueryVariables = Exact<{
  key: string;
}>;


export type OfferQuery = { offer: { id: string, key: string, name: string, description: string, kind: OfferKind, status: OfferStatus, isPriceConfirmed: boolean, priceMinor: number, currency: string, interval: BillingInterval | null, validDays: number | null, graceDays: number, tierKeys: Array<string>, maxQuantity: number, stock: number | null, stockLeft: number | null, carryOver: CarryOver, version: number, createdAt: string, effects: Array<{ apiKey: string | null, limitName: string | null, appliesTo: OfferEffectTarget | null, kind: OfferEffectKind, units: number | null, percent: number | null }> } | null };

export type OperatorsQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorsQuery = { operators: Array<{ id: string, email: string, name: string, role: OperatorRole, createdAt: string, suspendedAt: string | null }>, operatorInvitations: { nodes: Array<{ id: string, email: string, operatorRole: OperatorRole | null, invitedBy: string, createdAt: string, expiresAt: string }> } };

export type OperatorInvitationResendMutationVariables = Exact<{
  input: OperatorInvitationTargetInput;
}>;


export type OperatorInvitationResendMutation = { operatorInvitationResend: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type OperatorInvitationRevokeMutationVariables = Exact<{
  input: OperatorInvitationTargetInput;
}>;


export type OperatorInvitationRevokeMutation = { operatorInvitationRevoke: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type DecisionUrlQueryVariables = Exact<{ [key: string]: never; }>;


export type DecisionUrlQuery = { installation: { decisionUrl: string | null } };

export type PortalTenantQueryVariables = Exact<{
  key: string;
}>;


export type PortalTenantQuery = { tenant: { id: string, key: string, name: string, status: TenantStatus, timeZone: string, parentKey: string | null, sharedLimits: Array<{ apiKey: string, name: string, limit: number, summary: string, common: number, live: { used: number, remaining: number, resetAt: string } | null, floor: { units: number, live: { used: number, remaining: number, resetAt: string } | null } | null }>, subscription: { tier: { key: string, name: string } }, effectiveLimits: Array<{ source: LimitSource, tierLimit: number, clamped: boolean, live: { used: number, remaining: number, resetAt: string } | null, provenance: Array<{ adjustmentId: string, label: string, source: LimitSource, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } }> } | null };

export type PortalUtilizationQueryVariables = Exact<{
  tenantKey: string;
}>;


export type PortalUtilizationQuery = { limitUtilization: Array<{ apiKey: string, limitName: string, used: number, capacity: number, percent: number, denied: number, limitedSince: string | null, resetsAt: string | null, exhaustsAt: string | null }> | null };

export type PurchaseFieldsFragment = { id: string, tenantKey: string, label: string, kind: OfferKind, provider: PaymentProvider, status: PurchaseStatus, quantity: number, amountMinor: number, currency: string, interval: BillingInterval | null, isAutomatic: boolean, renews: boolean, paidThrough: string | null, graceEndsAt: string | null, checkoutUrl: string | null, createdAt: string, offer: { key: string, name: string }, effects: Array<{ apiKey: string | null, limitName: string | null, appliesTo: OfferEffectTarget | null, kind: OfferEffectKind, units: number | null, percent: number | null }> };

export type PurchasesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  tenantKey?: string | null | undefined;
  status?: PurchaseStatus | null | undefined;
}>;


export type PurchasesQuery = { purchases: { totalCount: number, nodes: Array<{ id: string, tenantKey: string, label: string, kind: OfferKind, provider: PaymentProvider, status: PurchaseStatus, quantity: number, amountMinor: number, currency: string, interval: BillingInterval | null, isAutomatic: boolean, renews: boolean, paidThrough: string | null, graceEndsAt: string | null, checkoutUrl: string | null, createdAt: string, offer: { key: string, name: string }, effects: Array<{ apiKey: string | null, limitName: string | null, appliesTo: OfferEffectTarget | null, kind: OfferEffectKind, units: number | null, percent: number | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type PurchaseQueryVariables = Exact<{
  id: string | number;
}>;


export type PurchaseQuery = { purchase: { id: string, tenantKey: string, label: string, kind: OfferKind, provider: PaymentProvider, status: PurchaseStatus, quantity: number, amountMinor: number, currency: string, interval: BillingInterval | null, isAutomatic: boolean, renews: boolean, paidThrough: string | null, graceEndsAt: string | null, checkoutUrl: string | null, createdAt: string, providerStop: { attempts: number, isExhausted: boolean, lastError: string | null, nextAttemptAt: string | null } | null, payments: Array<{ ref: string, at: string, amountMinor: number, currency: string, status: PaymentStatus, reviewReason: PaymentReviewReason | null, refundedMinor: number, disputedMinor: number }>, events: Array<{ id: string, source: PurchaseEventSource, type: PurchaseEventType, at: string, payment: string | null, amountMinor: number | null, reason: PaymentReviewReason | null }>, moneyEntries: Array<{ id: string, account: MoneyAccount, amountMinor: string, currency: string, at: string }>, offer: { key: string, name: string }, effects: Array<{ apiKey: string | null, limitName: string | null, appliesTo: OfferEffectTarget | null, kind: OfferEffectKind, units: number | null, percent: number | null }> } | null };

export type PaymentProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type PaymentProvidersQuery = { paymentProviders: Array<PaymentProvider> };

export type PurchasePreviewQueryVariables = Exact<{
  tenantKey: string;
  offerKey: string;
  quantity: number;
}>;


export type PurchasePreviewQuery = { purchasePreview: { noEffect: string | null, amountMinor: number, renewsAt: string | null, limits: Array<{ apiKey: string, limitName: string, before: number, after: number, past: { requests: number, denied: number, gap: PastEffectGap | null, after: { low: number, high: number } | null } }> } | null };

export type InvoiceFieldsFragment = { id: string, number: number, period: number, status: InvoiceStatus, amountMinor: number, currency: string, issuedAt: string, dueAt: string, closedAt: string | null, reference: string | null, purchase: { id: string, tenantKey: string, label: string } };

export type InvoicesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  tenantKey?: string | null | undefined;
  status?: InvoiceStatus | null | undefined;
}>;


export type InvoicesQuery = { invoices: { totalCount: number, nodes: Array<{ id: string, number: number, period: number, status: InvoiceStatus, amountMinor: number, currency: string, issuedAt: string, dueAt: string, closedAt: string | null, reference: string | null, purchase: { id: string, tenantKey: string, label: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type BillingDetailsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type BillingDetailsQuery = { billingDetails: { name: string, address: string, taxId: string, email: string, version: number } };

export type PaymentEventReviewsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: PaymentEventReviewStatus | null | undefined;
}>;


export type PaymentEventReviewsQuery = { paymentEventReviews: { totalCount: number, nodes: Array<{ id: string, provider: PaymentProvider, eventId: string, type: string, apiVersion: string | null, problem: string, status: PaymentEventReviewStatus, attempts: number, receivedAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type BillingTimeQueryVariables = Exact<{
  tenantKey: string;
}>;


export type BillingTimeQuery = { billingTime: { now: string, isTest: boolean } | null };

export type SpendingQueryVariables = Exact<{
  tenantKey: string;
}>;


export type SpendingQuery = { spending: { currency: string | null, capMinor: number | null, paidMinor: number, expectedMinor: number, resetsAt: string } | null };

export type AutoTopUpsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type AutoTopUpsQuery = { autoTopUps: Array<{ id: string, apiKey: string, limitName: string, status: AutoTopUpStatus, stopReason: AutoTopUpStop | null, stopDetail: string | null, thresholdUnits: number | null, thresholdPercent: number | null, capMinor: number, spentMinor: number, isCapReached: boolean, resetsAt: string, currency: string, agreedPriceMinor: number, provider: PaymentProvider, card: string, cardLabel: string, hasOpenOrder: boolean, orderedAt: string | null, offer: { key: string, name: string, priceMinor: number } }> };

export type PaymentCardsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type PaymentCardsQuery = { paymentCards: { providers: Array<PaymentProvider>, problem: string | null, cards: Array<{ provider: PaymentProvider, ref: string, label: string }> } | null };

export type RevenueQueryVariables = Exact<{ [key: string]: never; }>;


export type RevenueQuery = { revenue: Array<{ currency: string, monthlyMinor: number, receivedMinor: number, failedRenewals: number, failedMinor: number, offers: Array<{ offerKey: string, offerName: string, purchases: number, monthlyMinor: number }>, upgrades: Array<{ tierKey: string, tierName: string, purchases: number }> }> };

export type TopUpUnitsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type TopUpUnitsQuery = { entitlements: { nodes: Array<{ id: string, label: string, apiKey: string | null, limit: string | null, remaining: number | null, unitsExpireAt: string | null, effect: { units: number | null } }> } };

export type QuotaRequestFieldsFragment = { id: string, status: QuotaRequestStatus, apiKey: string, limit: string, current: number, wanted: number, why: string, offered: number | null, until: string | null, answer: string | null, requestedBy: string, version: number, createdAt: string, tenant: { key: string, name: string, timeZone: string } };

export type QuotaRequestsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  tenantKey?: string | null | undefined;
  status?: QuotaRequestStatus | null | undefined;
}>;


export type QuotaRequestsQuery = { quotaRequests: { totalCount: number, nodes: Array<{ id: string, status: QuotaRequestStatus, apiKey: string, limit: string, current: number, wanted: number, why: string, offered: number | null, until: string | null, answer: string | null, requestedBy: string, version: number, createdAt: string, tenant: { key: string, name: string, timeZone: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type RevisionsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  catalogueOnly?: boolean | null | undefined;
}>;


export type RevisionsQuery = { revisions: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ number: number, cause: string, publishedAt: string, catalogueRevision: number, size: number | null, tenantCount: number, changeCount: number, changes: Array<{ changeId: string, at: string, actor: string, action: string, entity: string, entityId: string, entityName: string | null, entityKey: string | null, tenantKey: string | null, reason: string | null }> }> } };

export type RevisionDiffQueryVariables = Exact<{
  from: number;
  to: number;
}>;


export type RevisionDiffQuery = { revisionDiff: { from: number, to: number, tiers: Array<{ key: string, kind: RevisionDifferenceKind, fromVersion: number | null, toVersion: number | null, fromWeight: number | null, toWeight: number | null, limits: Array<{ name: string, kind: RevisionDifferenceKind, from: string | null, to: string | null }> }>, apis: Array<{ key: string, kind: RevisionDifferenceKind, fromUnknownOperations: string | null, toUnknownOperations: string | null, operations: Array<{ name: string, kind: RevisionDifferenceKind, from: string | null, to: string | null }>, pools: Array<{ name: string, kind: RevisionDifferenceKind, from: string | null, to: string | null }> }>, subjectRules: Array<{ name: string, kind: RevisionDifferenceKind, from: string | null, to: string | null }> } };

export type PolicyRollbackMutationVariables = Exact<{
  input: PolicyRollbackInput;
}>;


export type PolicyRollbackMutation = { policyRollback: { changeId: string | null, rollback: { toRevision: number, tiers: Array<string>, apis: Array<string>, subjectRules: Array<string>, kept: Array<string> } | null, impact: { tenants: number, increased: number, decreased: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ServiceTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceTokensQuery = { serviceTokens: Array<{ id: string, name: string, publicId: string, lastFour: string, scopes: Array<string>, tenantKeys: Array<string>, lastUsedAt: string | null, replacedById: string | null, createdAt: string, expiresAt: string | null, revokedAt: string | null }> };

export type TenantDetailQueryVariables = Exact<{
  key: string;
}>;


export type TenantDetailQuery = { tenant: { id: string, key: string, name: string, status: TenantStatus, timeZone: string, billingAnchorDay: number, version: number, createdAt: string, tags: Array<string>, managedBy: ManagedBy, parentKey: string | null, floors: Array<{ apiKey: string, limit: string, units: number }>, sharedLimits: Array<{ apiKey: string, name: string, limit: number, summary: string, common: number, live: { used: number, remaining: number, resetAt: string } | null, floor: { units: number, live: { used: number, remaining: number, resetAt: string } | null } | null }>, subscription: { pinned: boolean, since: string, tier: { id: string, key: string, name: string }, tierVersion: { id: string, number: number } }, effectiveLimits: Array<{ source: LimitSource, tierLimit: number, clamped: boolean, provenance: Array<{ source: LimitSource, adjustmentId: string, label: string, from: number, to: number, until: string | null }>, live: { used: number, remaining: number, resetAt: string } | null, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } }> } | null };

export type TenantTierTrialMutationVariables = Exact<{
  input: TenantTierChangeInput;
}>;


export type TenantTierTrialMutation = { tenantTierChange: { warnings: Array<{ apiKey: string, name: string, message: string }>, impact: { tenants: number, increased: number, decreased: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TenantChildrenQueryVariables = Exact<{
  parent: string;
}>;


export type TenantChildrenQuery = { tenants: { totalCount: number, nodes: Array<{ id: string, key: string, name: string, status: TenantStatus, floors: Array<{ apiKey: string, limit: string, units: number }> }> } };

export type TierChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type TierChoicesQuery = { tiers: { nodes: Array<{ id: string, key: string, name: string, rank: number, published: { id: string, number: number } | null }> } };

export type TenantBoardQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  orderBy: UtilizationOrder;
  descending: boolean;
  search?: string | null | undefined;
  tier?: string | null | undefined;
  status?: TenantStatus | null | undefined;
  minPercent?: number | null | undefined;
  denied?: boolean | null | undefined;
  tenantKey?: string | null | undefined;
}>;


export type TenantBoardQuery = { tenantUtilization: { pageInfo: { endCursor: string | null, hasNextPage: boolean }, nodes: Array<{ percent: number, requests: number, denied: number, exhaustsAt: string | null, requestsByHour: Array<number>, deniedByHour: Array<number>, tenant: { id: string, key: string, name: string, status: TenantStatus, subscription: { pinned: boolean, tier: { id: string, key: string, name: string }, tierVersion: { id: string, number: number } } }, tightest: { apiKey: string, limitName: string, limit: number, windowMs: number | null, period: QuotaPeriod | null, per: Array<string>, used: number, capacity: number, percent: number, denied: number, peakAt: string | null, limitedSince: string | null, resetsAt: string | null, exhaustsAt: string | null } | null, exhausting: { apiKey: string, limitName: string, limit: number, windowMs: number | null, period: QuotaPeriod | null, per: Array<string>, used: number, capacity: number, percent: number, denied: number, peakAt: string | null, limitedSince: string | null, resetsAt: string | null, exhaustsAt: string | null } | null }> } };

export type BoardLimitFragment = { apiKey: string, limitName: string, limit: number, windowMs: number | null, period: QuotaPeriod | null, per: Array<string>, used: number, capacity: number, percent: number, denied: number, peakAt: string | null, limitedSince: string | null, resetsAt: string | null, exhaustsAt: string | null };

export type LimitUtilizationQueryVariables = Exact<{
  tenantKey: string;
}>;


export type LimitUtilizationQuery = { limitUtilization: Array<{ apiKey: string, limitName: string, limit: number, windowMs: number | null, period: QuotaPeriod | null, per: Array<string>, used: number, capacity: number, percent: number, denied: number, peakAt: string | null, limitedSince: string | null, resetsAt: string | null, exhaustsAt: string | null }> | null };

export type TenantBoardCountQueryVariables = Exact<{
  search?: string | null | undefined;
  tier?: string | null | undefined;
  status?: TenantStatus | null | undefined;
  minPercent?: number | null | undefined;
  denied?: boolean | null | undefined;
}>;


export type TenantBoardCountQuery = { tenantUtilization: { totalCount: number } };

export type SavedViewsQueryVariables = Exact<{ [key: string]: never; }>;


export type SavedViewsQuery = { savedViews: Array<{ id: string, name: string, search: string }> };

export type TenantVersionQueryVariables = Exact<{
  key: string;
}>;


export type TenantVersionQuery = { tenant: { id: string, version: number } | null };

export type LimitBoostMutationVariables = Exact<{
  input: BoostStartInput;
}>;


export type LimitBoostMutation = { boostStart: { changeId: string | null, warnings: Array<string>, impact: { tenants: number, increased: number, decreased: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type LimitPeaksQueryVariables = Exact<{
  tenantKey: string;
  apiKey: string;
  limitName: string;
}>;


export type LimitPeaksQuery = { limitPeaks: Array<{ at: string, used: number, capacity: number, denied: number }> | null };

export type SubjectLimitsQueryVariables = Exact<{
  tenantKey: string;
  subject: Array<DecisionSubjectInput> | DecisionSubjectInput;
}>;


export type SubjectLimitsQuery = { subjectLimits: Array<{ access: SubjectAccess, rule: { id: string, dimension: string, pattern: string, reason: string | null, tenant: { id: string } | null } | null, effective: { source: LimitSource, tierLimit: number, clamped: boolean, provenance: Array<{ source: LimitSource, adjustmentId: string, label: string, from: number, to: number, until: string | null }>, limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } } }> | null };

export type TestRequestApisQueryVariables = Exact<{ [key: string]: never; }>;


export type TestRequestApisQuery = { apis: { nodes: Array<{ id: string, key: string, name: string, operations: Array<{ id: string, name: string }> }> } };

export type TestRequestLimitsQueryVariables = Exact<{
  tenantKey: string;
}>;


export type TestRequestLimitsQuery = { tenant: { id: string, effectiveLimits: Array<{ limit: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } }> } | null };

export type TestRequestKeysQueryVariables = Exact<{
  tenantKey: string;
}>;


export type TestRequestKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string, publicId: string, scopes: Array<string>, revokedAt: string | null }> } };

export type TestRequestSendMutationVariables = Exact<{
  input: TestRequestSendInput;
}>;


export type TestRequestSendMutation = { testRequestSend: { results: Array<{ status: number, success: boolean, reason: DecisionReason, limitName: string | null, limit: number | null, remaining: number | null, resetAt: string | null, retryAfter: number | null, delayMs: number, degraded: boolean, revision: number, requestId: string, headers: Array<{ name: string, value: string }>, policies: Array<{ limitName: string, label: string | null, limit: number, remaining: number, resetAt: string, mode: PolicyMode, success: boolean }> }>, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TiersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type TiersQuery = { tiers: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, key: string, name: string, description: string, rank: number, version: number, tenantCount: number, managedBy: ManagedBy, archivedAt: string | null, draft: { id: string, number: number } | null, published: { id: string, number: number, publishedAt: string | null, limits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> } | null }> } };

export type TierDetailQueryVariables = Exact<{
  key: string;
}>;


export type TierDetailQuery = { tier: { id: string, key: string, name: string, description: string, rank: number, weight: number, tags: Array<string>, signUp: boolean, version: number, tenantCount: number, managedBy: ManagedBy, archivedAt: string | null, published: { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, audience: PublishAudience, automatic: boolean, carryOver: CarryOver, tenantCount: number, cohort: { percent: number, tags: Array<string>, tenantKeys: Array<string> } | null, limits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> } | null, draft: { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, audience: PublishAudience, automatic: boolean, carryOver: CarryOver, tenantCount: number, cohort: { percent: number, tags: Array<string>, tenantKeys: Array<string> } | null, limits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> } | null, versions: Array<{ id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, audience: PublishAudience, automatic: boolean, carryOver: CarryOver, tenantCount: number, cohort: { percent: number, tags: Array<string>, tenantKeys: Array<string> } | null, limits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> }> } | null, apis: { nodes: Array<{ id: string, key: string, name: string, version: number, operations: Array<{ id: string, name: string }>, pools: Array<{ id: string, name: string }> }> } };

export type TierVersionFieldsFragment = { id: string, number: number, status: TierVersionStatus, publishedAt: string | null, publishedBy: string | null, note: string | null, audience: PublishAudience, automatic: boolean, carryOver: CarryOver, tenantCount: number, cohort: { percent: number, tags: Array<string>, tenantKeys: Array<string> } | null, limits: Array<{ id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null }> };

export type TierPublishMutationVariables = Exact<{
  input: TierPublishInput;
}>;


export type TierPublishMutation = { tierPublish: { changeId: string | null, impact: { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null } | null, warnings: Array<{ code: LintCode, severity: LintSeverity, message: string, advice: string, path: Array<string> }>, tier: { id: string, version: number, published: { id: string, number: number } | null } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type TierLintQueryVariables = Exact<{
  tierKey: string;
  version?: number | null | undefined;
}>;


export type TierLintQuery = { tierLint: Array<{ severity: LintSeverity, code: LintCode, message: string, advice: string, path: Array<string> }> | null };

export type CandidateComparisonQueryVariables = Exact<{
  tierKey: string;
}>;


export type CandidateComparisonQuery = { candidateComparison: Array<{ apiKey: string, limitName: string, from: string, to: string, tenants: number, count: number, liveDenied: number, candidateDenied: number, newlyDenied: number, newlyAllowed: number }> };

export type PublicationGuardQueryVariables = Exact<{
  tierKey: string;
}>;


export type PublicationGuardQuery = { publicationGuard: { id: string, versionNumber: number, state: PublicationGuardState, maxDenialRise: number, minDecisions: number, endsAt: string, checkedAt: string | null, message: string | null, figures: { affected: { tenants: number, decisions: number, before: number, after: number }, pinned: { tenants: number, decisions: number, before: number, after: number } | null, worst: Array<{ tenantKey: string, before: number, after: number }> } | null } | null };

export type TierCompareQueryVariables = Exact<{
  a: TierVersionRef;
  b: TierVersionRef;
}>;


export type TierCompareQuery = { tierCompare: { increased: number, decreased: number, limits: Array<{ apiKey: string, name: string, kind: DifferenceKind, increased: boolean, decreased: boolean, before: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } | null, after: { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null } | null }> } | null };

export type ApisForMatrixQueryVariables = Exact<{ [key: string]: never; }>;


export type ApisForMatrixQuery = { apis: { nodes: Array<{ id: string, key: string, name: string, operations: Array<{ id: string, name: string }> }> } };

export type LimitPoolCreateMutationVariables = Exact<{
  input: PoolCreateInput;
}>;


export type LimitPoolCreateMutation = { poolCreate: { changeId: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type UsageOverTimeQueryVariables = Exact<{
  tenantKey: string;
  from: string;
  to?: string | null | undefined;
  interval: UsageInterval;
  groupBy?: Array<UsageGroup> | UsageGroup | null | undefined;
  apiKey?: string | null | undefined;
  operation?: string | null | undefined;
  limitName?: string | null | undefined;
}>;


export type UsageOverTimeQuery = { usage: { tenantKey: string, interval: UsageInterval, timeZone: string, from: string, to: string, keptSince: string, omittedSeries: number, total: { count: number, denied: number, degraded: number, units: number }, series: Array<{ apiKey: string | null, operation: string | null, limitName: string | null, outcome: UsageOutcome | null, total: { count: number, denied: number, degraded: number, units: number }, points: Array<{ at: string, count: number, denied: number, degraded: number, units: number, candidateDenied: number }> }> } | null };

export type TrafficQueryVariables = Exact<{
  from: string;
  to?: string | null | undefined;
}>;


export type TrafficQuery = { traffic: { from: string, to: string, stepMs: number, p50Ms: number | null, p99Ms: number | null, total: { count: number, denied: number, degraded: number, units: number }, points: Array<{ at: string, count: number, denied: number, degraded: number, units: number, p50Ms: number | null, p99Ms: number | null }>, previousTotal: { count: number, denied: number, degraded: number, units: number }, previousPoints: Array<{ at: string, count: number, denied: number, degraded: number, units: number }>, publications: Array<{ tierKey: string, tierName: string, number: number, at: string }> } };

export type TrafficLeaderQueryVariables = Exact<{
  from: string;
  to?: string | null | undefined;
}>;


export type TrafficLeaderQuery = { usageTop: Array<{ tenantKey: string, tenantName: string, denied: number }> };

export type UsageSummaryQueryVariables = Exact<{
  tenantKey: string;
}>;


export type UsageSummaryQuery = { usageSummary: { periodStart: string, periodEnd: string, total: { count: number, denied: number }, peakDay: { at: string, count: number } | null, peakMinute: { at: string, count: number } | null } | null };

export type LimitCrossingsQueryVariables = Exact<{
  tenantKey: string;
  first: number;
}>;


export type LimitCrossingsQuery = { limitCrossings: { totalCount: number, nodes: Array<{ id: string, apiKey: string, limitName: string, counter: string, percent: number, used: number, capacity: number, at: string }> } };

export type WebhookEndpointsQueryVariables = Exact<{
  tenantKey?: string | null | undefined;
}>;


export type WebhookEndpointsQuery = { webhookEndpoints: Array<{ id: string, tenantKey: string | null, url: string, description: string, events: Array<string>, status: WebhookStatus, disabledReason: string | null, previousUntil: string | null, version: number, createdAt: string }> };

export type WebhookEndpointCreateMutationVariables = Exact<{
  input: WebhookEndpointCreateInput;
}>;


export type WebhookEndpointCreateMutation = { webhookEndpointCreate: { secret: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookEndpointUpdateMutationVariables = Exact<{
  input: WebhookEndpointUpdateInput;
}>;


export type WebhookEndpointUpdateMutation = { webhookEndpointUpdate: { endpoint: { version: number } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookEndpointEnableMutationVariables = Exact<{
  input: WebhookEndpointTargetInput;
}>;


export type WebhookEndpointEnableMutation = { webhookEndpointEnable: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookEndpointDisableMutationVariables = Exact<{
  input: WebhookEndpointTargetInput;
}>;


export type WebhookEndpointDisableMutation = { webhookEndpointDisable: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookEndpointDeleteMutationVariables = Exact<{
  input: WebhookEndpointTargetInput;
}>;


export type WebhookEndpointDeleteMutation = { webhookEndpointDelete: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookEndpointTestMutationVariables = Exact<{
  input: WebhookEndpointTargetInput;
}>;


export type WebhookEndpointTestMutation = { webhookEndpointTest: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookEndpointSecretRotateMutationVariables = Exact<{
  input: WebhookEndpointRotateInput;
}>;


export type WebhookEndpointSecretRotateMutation = { webhookEndpointSecretRotate: { secret: string | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type WebhookDeliveriesQueryVariables = Exact<{
  endpointId: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, event: string, body: string, status: WebhookDeliveryStatus, nextAttemptAt: string, createdAt: string, log: Array<{ number: number, at: string, durationMs: number, statusCode: number | null, error: string | null }> }> } };

export type WebhookDeliveryRetryMutationVariables = Exact<{
  input: WebhookDeliveryRetryInput;
}>;


export type WebhookDeliveryRetryMutation = { webhookDeliveryRetry: { userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type ImpactFieldsFragment = { tenants: number, increased: number, decreased: number, sample: Array<{ tenantKey: string, tenantName: string, increased: boolean, decreased: boolean }>, overruns: Array<{ tenantKey: string, tenantName: string, apiKey: string, limitName: string, limit: number, peak: number, excess: number, units: number, days: number, at: string }> | null };

export type ChangeReversalQueryVariables = Exact<{
  changeId: string | number;
}>;


export type ChangeReversalQuery = { changeReversal: { changeId: string, actor: string, at: string, actions: Array<string>, revertible: boolean, obstacle: string | null } | null };

export type LimitFieldsFragment = { id: string, name: string, apiKey: string, alsoApis: Array<string>, operations: Array<string>, per: Array<string>, onMissing: OnMissing, onUnavailable: OnUnavailable, deadlineMs: number | null, charge: Charge, attemptTimeoutMs: number | null, inHeaders: boolean, storage: LimitStorage, expectedSubjects: number | null, ipv4Prefix: number | null, ipv6Prefix: number | null, rolloverPercent: number | null, sharedWithChildren: boolean, summary: string, origin: LimitOrigin, algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null, penalty: { denials: number, windowMs: number, blockMs: number, maxBlockMs: number } | null, warmUp: { ms: number, startPercent: number } | null, amounts: { by: string, others: number | null, labels: Array<{ label: string, limit: number }> } | null, throttle: { mode: ThrottleMode, percent: number | null, maxPercent: number | null, pool: string | null, maxDelayMs: number | null }, enforcement: { mode: EnforcementMode, percent: number | null }, consistency: { mode: ConsistencyMode, leaseMs: number | null }, candidate: { algorithm: Algorithm, limit: number, windowMs: number | null, alignment: Alignment | null, buckets: number | null, capacity: number | null, refill: TokenRefill | null, queue: number | null, burst: number | null, leaseMs: number | null, period: QuotaPeriod | null } | null };

export type LimitHistoryQueryVariables = Exact<{
  tenantKey: string;
}>;


export type LimitHistoryQuery = { limitHistory: Array<{ apiKey: string, limitName: string, measure: LimitMeasure, windowMs: number | null, days: Array<{ at: string, used: number, denied: number }>, steps: Array<{ at: string, limit: number, lasting: number }> }> | null };

export type ScopeApisQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type ScopeApisQuery = { apis: { totalCount: number, nodes: Array<{ key: string, name: string, defaultLimits: Array<{ name: string }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ScopeTiersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type ScopeTiersQuery = { tiers: { totalCount: number, nodes: Array<{ key: string, name: string, rank: number, archivedAt: string | null, published: { limits: Array<{ name: string, apiKey: string }> } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SimulationStartMutationVariables = Exact<{
  input: SimulationStartInput;
}>;


export type SimulationStartMutation = { simulationStart: { simulation: { id: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SimulationCancelMutationVariables = Exact<{
  input: SimulationCancelInput;
}>;


export type SimulationCancelMutation = { simulationCancel: { simulation: { id: string } | null, userErrors: Array<{ code: UserErrorCode, field: Array<string> | null, message: string }> } };

export type SimulationFieldsFragment = { id: string, state: SimulationState, from: string, to: string, decisions: number, replayed: number, message: string | null, result: { reliable: boolean, decisions: number, covered: number, notWarm: Array<string>, baselineDenied: number, draftDenied: number, newlyDenied: number, newlyAllowed: number, newlyDeniedTenants: number, subjects: number, newlyDeniedSubjects: number, stepMinutes: number, unpricedUnits: number, newlyDeniedCosts: Array<{ currency: string, amountMinor: number }>, calibration: { compared: number, share: number } | null, uncovered: Array<{ reason: string, decisions: number }>, limits: Array<{ apiKey: string, limitName: string, decisions: number, baselineDenied: number, draftDenied: number }>, tenants: Array<{ tenantKey: string, tenantName: string, decisions: number, newlyDenied: number, newlyAllowed: number, examples: Array<{ at: string, operation: string, limitName: string | null, retryAfter: number | null }> }>, series: Array<{ at: string, baselineDenied: number, draftDenied: number }> } | null };

export type SimulationQueryVariables = Exact<{
  id: string | number;
}>;


export type SimulationQuery = { simulation: { id: string, state: SimulationState, from: string, to: string, decisions: number, replayed: number, message: string | null, result: { reliable: boolean, decisions: number, covered: number, notWarm: Array<string>, baselineDenied: number, draftDenied: number, newlyDenied: number, newlyAllowed: number, newlyDeniedTenants: number, subjects: number, newlyDeniedSubjects: number, stepMinutes: number, unpricedUnits: number, newlyDeniedCosts: Array<{ currency: string, amountMinor: number }>, calibration: { compared: number, share: number } | null, uncovered: Array<{ reason: string, decisions: number }>, limits: Array<{ apiKey: string, limitName: string, decisions: number, baselineDenied: number, draftDenied: number }>, tenants: Array<{ tenantKey: string, tenantName: string, decisions: number, newlyDenied: number, newlyAllowed: number, examples: Array<{ at: string, operation: string, limitName: string | null, retryAfter: number | null }> }>, series: Array<{ at: string, baselineDenied: number, draftDenied: number }> } | null } | null };

export type SimulationProgressSubscriptionVariables = Exact<{
  id: string | number;
}>;


export type SimulationProgressSubscription = { simulationProgress: { id: string, state: SimulationState, from: string, to: string, decisions: number, replayed: number, message: string | null, result: { reliable: boolean, decisions: number, covered: number, notWarm: Array<string>, baselineDenied: number, draftDenied: number, newlyDenied: number, newlyAllowed: number, newlyDeniedTenants: number, subjects: number, newlyDeniedSubjects: number, stepMinutes: number, unpricedUnits: number, newlyDeniedCosts: Array<{ currency: string, amountMinor: number }>, calibration: { compared: number, share: number } | null, uncovered: Array<{ reason: string, decisions: number }>, limits: Array<{ apiKey: string, limitName: string, decisions: number, baselineDenied: number, draftDenied: number }>, tenants: Array<{ tenantKey: string, tenantName: string, decisions: number, newlyDenied: number, newlyAllowed: number, examples: Array<{ at: string, operation: string, limitName: string | null, retryAfter: number | null }> }>, series: Array<{ at: string, baselineDenied: number, draftDenied: number }> } | null } };

export type PermissionRolesQueryVariables = Exact<{ [key: string]: never; }>;


export type PermissionRolesQuery = { permissionRoles: Array<{ permission: string, operatorRoles: Array<OperatorRole> }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, name: string, email: string | null, role: OperatorRole | null, permissions: Array<string>, memberships: Array<{ tenantKey: string, tenantName: string, role: MemberRole, permissions: Array<string> }> }, permissionRoles: Array<{ permission: string, operatorRoles: Array<OperatorRole> }> };

export type GrantableQueryVariables = Exact<{
  tenantKey?: string | null | undefined;
}>;


export type GrantableQuery = { grantable: { memberRoles: Array<MemberRole>, operatorRoles: Array<OperatorRole>, scopes: Array<string> } };

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
export const ChangeSetOutcomeFragmentDoc = new TypedDocumentString(`
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}
    `, {"fragmentName":"ChangeSetOutcome"}) as unknown as TypedDocumentString<ChangeSetOutcomeFragment, unknown>;
export const LimitFieldsFragmentDoc = new TypedDocumentString(`
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}
    `, {"fragmentName":"LimitFields"}) as unknown as TypedDocumentString<LimitFieldsFragment, unknown>;
export const PastLimitFieldsFragmentDoc = new TypedDocumentString(`
    fragment PastLimitFields on PastLimit {
  tierName
  tierVersion
  since
  limit {
    tierLimit
    provenance {
      adjustmentId
      label
      source
      from
      to
      until
    }
    limit {
      ...LimitFields
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`, {"fragmentName":"PastLimitFields"}) as unknown as TypedDocumentString<PastLimitFieldsFragment, unknown>;
export const LadderFieldsFragmentDoc = new TypedDocumentString(`
    fragment LadderFields on LimitLadder {
  revision
  publishedAt
  tierKey
  tierName
  tierVersion
  limit {
    source
    tierLimit
    provenance {
      source
      adjustmentId
      label
      from
      to
      until
    }
    limit {
      ...LimitFields
    }
  }
  sources {
    adjustmentId
    actor
    reason
    purchaseId
    changeId
  }
  tierChange {
    changeId
    actor
    action
    reason
    changeSetId
    changeSetTitle
  }
  introduced {
    revision
    at
    isScheduled
    changes {
      changeId
      actor
      action
      reason
      changeSetId
      changeSetTitle
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`, {"fragmentName":"LadderFields"}) as unknown as TypedDocumentString<LadderFieldsFragment, unknown>;
export const OfferFieldsFragmentDoc = new TypedDocumentString(`
    fragment OfferFields on Offer {
  id
  key
  name
  description
  kind
  status
  isPriceConfirmed
  priceMinor
  currency
  interval
  validDays
  graceDays
  effects {
    apiKey
    limitName
    appliesTo
    kind
    units
    percent
  }
  tierKeys
  maxQuantity
  stock
  stockLeft
  carryOver
  version
  createdAt
}
    `, {"fragmentName":"OfferFields"}) as unknown as TypedDocumentString<OfferFieldsFragment, unknown>;
export const PurchaseFieldsFragmentDoc = new TypedDocumentString(`
    fragment PurchaseFields on Purchase {
  id
  tenantKey
  label
  kind
  provider
  status
  quantity
  amountMinor
  currency
  interval
  isAutomatic
  renews
  paidThrough
  graceEndsAt
  checkoutUrl
  createdAt
  offer {
    key
    name
  }
  effects {
    apiKey
    limitName
    appliesTo
    kind
    units
    percent
  }
}
    `, {"fragmentName":"PurchaseFields"}) as unknown as TypedDocumentString<PurchaseFieldsFragment, unknown>;
export const InvoiceFieldsFragmentDoc = new TypedDocumentString(`
    fragment InvoiceFields on Invoice {
  id
  number
  period
  status
  amountMinor
  currency
  issuedAt
  dueAt
  closedAt
  reference
  purchase {
    id
    tenantKey
    label
  }
}
    `, {"fragmentName":"InvoiceFields"}) as unknown as TypedDocumentString<InvoiceFieldsFragment, unknown>;
export const QuotaRequestFieldsFragmentDoc = new TypedDocumentString(`
    fragment QuotaRequestFields on QuotaRequest {
  id
  status
  apiKey
  limit
  current
  wanted
  why
  offered
  until
  answer
  requestedBy
  version
  createdAt
  tenant {
    key
    name
    timeZone
  }
}
    `, {"fragmentName":"QuotaRequestFields"}) as unknown as TypedDocumentString<QuotaRequestFieldsFragment, unknown>;
export const BoardLimitFragmentDoc = new TypedDocumentString(`
    fragment BoardLimit on LimitUtilization {
  apiKey
  limitName
  limit
  windowMs
  period
  per
  used
  capacity
  percent
  denied
  peakAt
  limitedSince
  resetsAt
  exhaustsAt
}
    `, {"fragmentName":"BoardLimit"}) as unknown as TypedDocumentString<BoardLimitFragment, unknown>;
export const TierVersionFieldsFragmentDoc = new TypedDocumentString(`
    fragment TierVersionFields on TierVersion {
  id
  number
  status
  publishedAt
  publishedBy
  note
  audience
  automatic
  carryOver
  tenantCount
  cohort {
    percent
    tags
    tenantKeys
  }
  limits {
    ...LimitFields
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`, {"fragmentName":"TierVersionFields"}) as unknown as TypedDocumentString<TierVersionFieldsFragment, unknown>;
export const ImpactFieldsFragmentDoc = new TypedDocumentString(`
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}
    `, {"fragmentName":"ImpactFields"}) as unknown as TypedDocumentString<ImpactFieldsFragment, unknown>;
export const SimulationFieldsFragmentDoc = new TypedDocumentString(`
    fragment SimulationFields on Simulation {
  id
  state
  from
  to
  decisions
  replayed
  message
  result {
    reliable
    decisions
    covered
    notWarm
    baselineDenied
    draftDenied
    newlyDenied
    newlyAllowed
    newlyDeniedTenants
    subjects
    newlyDeniedSubjects
    stepMinutes
    unpricedUnits
    newlyDeniedCosts {
      currency
      amountMinor
    }
    calibration {
      compared
      share
    }
    uncovered {
      reason
      decisions
    }
    limits {
      apiKey
      limitName
      decisions
      baselineDenied
      draftDenied
    }
    tenants {
      tenantKey
      tenantName
      decisions
      newlyDenied
      newlyAllowed
      examples {
        at
        operation
        limitName
        retryAfter
      }
    }
    series {
      at
      baselineDenied
      draftDenied
    }
  }
}
    `, {"fragmentName":"SimulationFields"}) as unknown as TypedDocumentString<SimulationFieldsFragment, unknown>;
export const AlertThresholdRemoveDocument = new TypedDocumentString(`
    mutation AlertThresholdRemove($input: AlertThresholdRemoveInput!) {
  alertThresholdRemove(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<AlertThresholdRemoveMutation, AlertThresholdRemoveMutationVariables>;
export const AlertThresholdSetDocument = new TypedDocumentString(`
    mutation AlertThresholdSet($input: AlertThresholdSetInput!) {
  alertThresholdSet(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<AlertThresholdSetMutation, AlertThresholdSetMutationVariables>;
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
export const ApiDefaultLimitsSetDocument = new TypedDocumentString(`
    mutation ApiDefaultLimitsSet($input: ApiDefaultLimitsSetInput!) {
  apiDefaultLimitsSet(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<ApiDefaultLimitsSetMutation, ApiDefaultLimitsSetMutationVariables>;
export const ApiDeleteDocument = new TypedDocumentString(`
    mutation ApiDelete($input: ApiDeleteInput!) {
  apiDelete(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<ApiDeleteMutation, ApiDeleteMutationVariables>;
export const ApiKeyCreateDocument = new TypedDocumentString(`
    mutation ApiKeyCreate($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) {
    key
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ApiKeyCreateMutation, ApiKeyCreateMutationVariables>;
export const ApiKeyRevokeDocument = new TypedDocumentString(`
    mutation ApiKeyRevoke($input: ApiKeyRevokeInput!) {
  apiKeyRevoke(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ApiKeyRevokeMutation, ApiKeyRevokeMutationVariables>;
export const ApiKeyRotateDocument = new TypedDocumentString(`
    mutation ApiKeyRotate($input: ApiKeyRotateInput!) {
  apiKeyRotate(input: $input) {
    key
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ApiKeyRotateMutation, ApiKeyRotateMutationVariables>;
export const ApiUpdateDocument = new TypedDocumentString(`
    mutation ApiUpdate($input: ApiUpdateInput!) {
  apiUpdate(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<ApiUpdateMutation, ApiUpdateMutationVariables>;
export const AutoTopUpSetDocument = new TypedDocumentString(`
    mutation AutoTopUpSet($input: AutoTopUpSetInput!) {
  autoTopUpSet(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<AutoTopUpSetMutation, AutoTopUpSetMutationVariables>;
export const AutoTopUpTurnOffDocument = new TypedDocumentString(`
    mutation AutoTopUpTurnOff($input: AutoTopUpTurnOffInput!) {
  autoTopUpTurnOff(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<AutoTopUpTurnOffMutation, AutoTopUpTurnOffMutationVariables>;
export const BillingDetailsSetDocument = new TypedDocumentString(`
    mutation BillingDetailsSet($input: BillingDetailsSetInput!) {
  billingDetailsSet(input: $input) {
    billingDetails {
      version
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<BillingDetailsSetMutation, BillingDetailsSetMutationVariables>;
export const BoostEndDocument = new TypedDocumentString(`
    mutation BoostEnd($input: BoostEndInput!) {
  boostEnd(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<BoostEndMutation, BoostEndMutationVariables>;
export const BoostStartDocument = new TypedDocumentString(`
    mutation BoostStart($input: BoostStartInput!) {
  boostStart(input: $input) {
    changeId
    warnings
    preview {
      apiKey
      limitName
      limit
    }
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<BoostStartMutation, BoostStartMutationVariables>;
export const BulkActionCancelDocument = new TypedDocumentString(`
    mutation BulkActionCancel($input: BulkActionInput!) {
  bulkActionCancel(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<BulkActionCancelMutation, BulkActionCancelMutationVariables>;
export const BulkActionUndoDocument = new TypedDocumentString(`
    mutation BulkActionUndo($input: BulkActionInput!) {
  bulkActionUndo(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<BulkActionUndoMutation, BulkActionUndoMutationVariables>;
export const ChangeRevertDocument = new TypedDocumentString(`
    mutation ChangeRevert($input: ChangeRevertInput!) {
  changeRevert(input: $input) {
    changeId
    impact {
      tenants
      increased
      decreased
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ChangeRevertMutation, ChangeRevertMutationVariables>;
export const EntitlementGrantDocument = new TypedDocumentString(`
    mutation EntitlementGrant($input: EntitlementGrantInput!) {
  entitlementGrant(input: $input) {
    changeId
    warnings
    preview {
      apiKey
      limitName
      limit
    }
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<EntitlementGrantMutation, EntitlementGrantMutationVariables>;
export const EntitlementRevokeDocument = new TypedDocumentString(`
    mutation EntitlementRevoke($input: EntitlementRevokeInput!) {
  entitlementRevoke(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<EntitlementRevokeMutation, EntitlementRevokeMutationVariables>;
export const InstallationUpdateDocument = new TypedDocumentString(`
    mutation InstallationUpdate($input: InstallationUpdateInput!) {
  installationUpdate(input: $input) {
    installation {
      version
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<InstallationUpdateMutation, InstallationUpdateMutationVariables>;
export const InvitationAcceptDocument = new TypedDocumentString(`
    mutation InvitationAccept($input: InvitationAcceptInput!) {
  invitationAccept(input: $input) {
    email
    tenantKey
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<InvitationAcceptMutation, InvitationAcceptMutationVariables>;
export const InvitationResendDocument = new TypedDocumentString(`
    mutation InvitationResend($input: InvitationTargetInput!) {
  invitationResend(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<InvitationResendMutation, InvitationResendMutationVariables>;
export const InvitationRevokeDocument = new TypedDocumentString(`
    mutation InvitationRevoke($input: InvitationTargetInput!) {
  invitationRevoke(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<InvitationRevokeMutation, InvitationRevokeMutationVariables>;
export const InvoiceMarkPaidDocument = new TypedDocumentString(`
    mutation InvoiceMarkPaid($input: InvoiceMarkPaidInput!) {
  invoiceMarkPaid(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<InvoiceMarkPaidMutation, InvoiceMarkPaidMutationVariables>;
export const InvoiceVoidDocument = new TypedDocumentString(`
    mutation InvoiceVoid($input: InvoiceVoidInput!) {
  invoiceVoid(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<InvoiceVoidMutation, InvoiceVoidMutationVariables>;
export const JobQueuePauseDocument = new TypedDocumentString(`
    mutation JobQueuePause($input: JobQueueTargetInput!) {
  jobQueuePause(input: $input) {
    queue {
      paused
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<JobQueuePauseMutation, JobQueuePauseMutationVariables>;
export const JobQueueResumeDocument = new TypedDocumentString(`
    mutation JobQueueResume($input: JobQueueTargetInput!) {
  jobQueueResume(input: $input) {
    queue {
      paused
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<JobQueueResumeMutation, JobQueueResumeMutationVariables>;
export const JobRemoveDocument = new TypedDocumentString(`
    mutation JobRemove($input: JobTargetInput!) {
  jobRemove(input: $input) {
    job {
      state
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<JobRemoveMutation, JobRemoveMutationVariables>;
export const JobRetryDocument = new TypedDocumentString(`
    mutation JobRetry($input: JobTargetInput!) {
  jobRetry(input: $input) {
    job {
      state
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<JobRetryMutation, JobRetryMutationVariables>;
export const MemberInviteDocument = new TypedDocumentString(`
    mutation MemberInvite($input: MemberInviteInput!) {
  memberInvite(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<MemberInviteMutation, MemberInviteMutationVariables>;
export const MemberRemoveDocument = new TypedDocumentString(`
    mutation MemberRemove($input: MemberRemoveInput!) {
  memberRemove(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<MemberRemoveMutation, MemberRemoveMutationVariables>;
export const MemberRoleChangeDocument = new TypedDocumentString(`
    mutation MemberRoleChange($input: MemberRoleChangeInput!) {
  memberRoleChange(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<MemberRoleChangeMutation, MemberRoleChangeMutationVariables>;
export const NodeRetireDocument = new TypedDocumentString(`
    mutation NodeRetire($input: NodeRetireInput!) {
  nodeRetire(input: $input) {
    node {
      nodeId
      retiredAt
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<NodeRetireMutation, NodeRetireMutationVariables>;
export const NoticesMarkReadDocument = new TypedDocumentString(`
    mutation NoticesMarkRead($input: NoticesMarkReadInput!) {
  noticesMarkRead(input: $input) {
    unread
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<NoticesMarkReadMutation, NoticesMarkReadMutationVariables>;
export const OfferActivateDocument = new TypedDocumentString(`
    mutation OfferActivate($input: OfferChangeInput!) {
  offerActivate(input: $input) {
    offer {
      key
      status
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OfferActivateMutation, OfferActivateMutationVariables>;
export const OfferArchiveDocument = new TypedDocumentString(`
    mutation OfferArchive($input: OfferChangeInput!) {
  offerArchive(input: $input) {
    offer {
      key
      status
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OfferArchiveMutation, OfferArchiveMutationVariables>;
export const OfferPriceConfirmDocument = new TypedDocumentString(`
    mutation OfferPriceConfirm($input: OfferChangeInput!) {
  offerPriceConfirm(input: $input) {
    offer {
      key
      isPriceConfirmed
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OfferPriceConfirmMutation, OfferPriceConfirmMutationVariables>;
export const OfferCreateDocument = new TypedDocumentString(`
    mutation OfferCreate($input: OfferCreateInput!) {
  offerCreate(input: $input) {
    offer {
      key
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OfferCreateMutation, OfferCreateMutationVariables>;
export const OfferUpdateDocument = new TypedDocumentString(`
    mutation OfferUpdate($input: OfferUpdateInput!) {
  offerUpdate(input: $input) {
    offer {
      key
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OfferUpdateMutation, OfferUpdateMutationVariables>;
export const OperationCreateDocument = new TypedDocumentString(`
    mutation OperationCreate($input: OperationCreateInput!) {
  operationCreate(input: $input) {
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<OperationCreateMutation, OperationCreateMutationVariables>;
export const OperationDeleteDocument = new TypedDocumentString(`
    mutation OperationDelete($input: OperationDeleteInput!) {
  operationDelete(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<OperationDeleteMutation, OperationDeleteMutationVariables>;
export const OperationUpdateDocument = new TypedDocumentString(`
    mutation OperationUpdate($input: OperationUpdateInput!) {
  operationUpdate(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<OperationUpdateMutation, OperationUpdateMutationVariables>;
export const OperatorInviteDocument = new TypedDocumentString(`
    mutation OperatorInvite($input: OperatorInviteInput!) {
  operatorInvite(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorInviteMutation, OperatorInviteMutationVariables>;
export const OperatorRemoveDocument = new TypedDocumentString(`
    mutation OperatorRemove($input: OperatorStatusInput!) {
  operatorRemove(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorRemoveMutation, OperatorRemoveMutationVariables>;
export const OperatorResumeDocument = new TypedDocumentString(`
    mutation OperatorResume($input: OperatorStatusInput!) {
  operatorResume(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorResumeMutation, OperatorResumeMutationVariables>;
export const OperatorRoleChangeDocument = new TypedDocumentString(`
    mutation OperatorRoleChange($input: OperatorRoleChangeInput!) {
  operatorRoleChange(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorRoleChangeMutation, OperatorRoleChangeMutationVariables>;
export const OperatorSuspendDocument = new TypedDocumentString(`
    mutation OperatorSuspend($input: OperatorStatusInput!) {
  operatorSuspend(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorSuspendMutation, OperatorSuspendMutationVariables>;
export const OverrideRemoveDocument = new TypedDocumentString(`
    mutation OverrideRemove($input: OverrideRemoveInput!) {
  overrideRemove(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OverrideRemoveMutation, OverrideRemoveMutationVariables>;
export const OverrideSetDocument = new TypedDocumentString(`
    mutation OverrideSet($input: OverrideSetInput!) {
  overrideSet(input: $input) {
    changeId
    warnings
    preview {
      apiKey
      limitName
      limit
    }
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<OverrideSetMutation, OverrideSetMutationVariables>;
export const OwnLimitRemoveDocument = new TypedDocumentString(`
    mutation OwnLimitRemove($input: OwnLimitRemoveInput!) {
  ownLimitRemove(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OwnLimitRemoveMutation, OwnLimitRemoveMutationVariables>;
export const OwnLimitSetDocument = new TypedDocumentString(`
    mutation OwnLimitSet($input: OwnLimitSetInput!) {
  ownLimitSet(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OwnLimitSetMutation, OwnLimitSetMutationVariables>;
export const PasswordResetRequestDocument = new TypedDocumentString(`
    mutation PasswordResetRequest($input: PasswordResetRequestInput!) {
  passwordResetRequest(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PasswordResetRequestMutation, PasswordResetRequestMutationVariables>;
export const PaymentCardLinkDocument = new TypedDocumentString(`
    mutation PaymentCardLink($input: PaymentCardLinkInput!) {
  paymentCardLink(input: $input) {
    url
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentCardLinkMutation, PaymentCardLinkMutationVariables>;
export const PaymentEventDismissDocument = new TypedDocumentString(`
    mutation PaymentEventDismiss($input: PaymentEventDismissInput!) {
  paymentEventDismiss(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentEventDismissMutation, PaymentEventDismissMutationVariables>;
export const PaymentEventRetryDocument = new TypedDocumentString(`
    mutation PaymentEventRetry($input: PaymentEventRetryInput!) {
  paymentEventRetry(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentEventRetryMutation, PaymentEventRetryMutationVariables>;
export const PaymentPortalLinkDocument = new TypedDocumentString(`
    mutation PaymentPortalLink($input: PaymentPortalLinkInput!) {
  paymentPortalLink(input: $input) {
    url
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentPortalLinkMutation, PaymentPortalLinkMutationVariables>;
export const PoolCreateDocument = new TypedDocumentString(`
    mutation PoolCreate($input: PoolCreateInput!) {
  poolCreate(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<PoolCreateMutation, PoolCreateMutationVariables>;
export const PoolDeleteDocument = new TypedDocumentString(`
    mutation PoolDelete($input: PoolDeleteInput!) {
  poolDelete(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<PoolDeleteMutation, PoolDeleteMutationVariables>;
export const PoolUpdateDocument = new TypedDocumentString(`
    mutation PoolUpdate($input: PoolUpdateInput!) {
  poolUpdate(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<PoolUpdateMutation, PoolUpdateMutationVariables>;
export const PublicationGuardCancelDocument = new TypedDocumentString(`
    mutation PublicationGuardCancel($input: PublicationGuardCancelInput!) {
  publicationGuardCancel(input: $input) {
    guard {
      id
      state
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PublicationGuardCancelMutation, PublicationGuardCancelMutationVariables>;
export const PurchaseApproveDocument = new TypedDocumentString(`
    mutation PurchaseApprove($input: PaymentDecisionInput!) {
  purchaseApprove(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PurchaseApproveMutation, PurchaseApproveMutationVariables>;
export const PurchaseCancelDocument = new TypedDocumentString(`
    mutation PurchaseCancel($input: PurchaseCancelInput!) {
  purchaseCancel(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PurchaseCancelMutation, PurchaseCancelMutationVariables>;
export const PurchaseRefundDocument = new TypedDocumentString(`
    mutation PurchaseRefund($input: PurchaseRefundInput!) {
  purchaseRefund(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PurchaseRefundMutation, PurchaseRefundMutationVariables>;
export const PurchaseRejectDocument = new TypedDocumentString(`
    mutation PurchaseReject($input: PaymentDecisionInput!) {
  purchaseReject(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PurchaseRejectMutation, PurchaseRejectMutationVariables>;
export const PurchaseStartDocument = new TypedDocumentString(`
    mutation PurchaseStart($input: PurchaseStartInput!) {
  purchaseStart(input: $input) {
    purchase {
      id
      checkoutUrl
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PurchaseStartMutation, PurchaseStartMutationVariables>;
export const PurchaseStopRetryDocument = new TypedDocumentString(`
    mutation PurchaseStopRetry($input: PurchaseCancelInput!) {
  purchaseStopRetry(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PurchaseStopRetryMutation, PurchaseStopRetryMutationVariables>;
export const QuotaRequestAcceptDocument = new TypedDocumentString(`
    mutation QuotaRequestAccept($input: QuotaRequestOwnInput!) {
  quotaRequestAccept(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<QuotaRequestAcceptMutation, QuotaRequestAcceptMutationVariables>;
export const QuotaRequestApproveDocument = new TypedDocumentString(`
    mutation QuotaRequestApprove($input: QuotaRequestApproveInput!) {
  quotaRequestApprove(input: $input) {
    changeId
    warnings
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<QuotaRequestApproveMutation, QuotaRequestApproveMutationVariables>;
export const QuotaRequestCounterDocument = new TypedDocumentString(`
    mutation QuotaRequestCounter($input: QuotaRequestCounterInput!) {
  quotaRequestCounter(input: $input) {
    changeId
    warnings
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<QuotaRequestCounterMutation, QuotaRequestCounterMutationVariables>;
export const QuotaRequestCreateDocument = new TypedDocumentString(`
    mutation QuotaRequestCreate($input: QuotaRequestCreateInput!) {
  quotaRequestCreate(input: $input) {
    request {
      id
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<QuotaRequestCreateMutation, QuotaRequestCreateMutationVariables>;
export const QuotaRequestDeclineDocument = new TypedDocumentString(`
    mutation QuotaRequestDecline($input: QuotaRequestDeclineInput!) {
  quotaRequestDecline(input: $input) {
    changeId
    warnings
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<QuotaRequestDeclineMutation, QuotaRequestDeclineMutationVariables>;
export const QuotaRequestWithdrawDocument = new TypedDocumentString(`
    mutation QuotaRequestWithdraw($input: QuotaRequestOwnInput!) {
  quotaRequestWithdraw(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<QuotaRequestWithdrawMutation, QuotaRequestWithdrawMutationVariables>;
export const SavedViewRemoveDocument = new TypedDocumentString(`
    mutation SavedViewRemove($input: SavedViewRemoveInput!) {
  savedViewRemove(input: $input) {
    views {
      id
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SavedViewRemoveMutation, SavedViewRemoveMutationVariables>;
export const SavedViewSetDocument = new TypedDocumentString(`
    mutation SavedViewSet($input: SavedViewSetInput!) {
  savedViewSet(input: $input) {
    views {
      id
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SavedViewSetMutation, SavedViewSetMutationVariables>;
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
export const ServiceTokenRotateDocument = new TypedDocumentString(`
    mutation ServiceTokenRotate($input: ServiceTokenRotateInput!) {
  serviceTokenRotate(input: $input) {
    token
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ServiceTokenRotateMutation, ServiceTokenRotateMutationVariables>;
export const SessionRevokeDocument = new TypedDocumentString(`
    mutation SessionRevoke($input: SessionRevokeInput!) {
  sessionRevoke(input: $input) {
    revoked
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SessionRevokeMutation, SessionRevokeMutationVariables>;
export const SessionRevokeOthersDocument = new TypedDocumentString(`
    mutation SessionRevokeOthers($input: SessionRevokeOthersInput!) {
  sessionRevokeOthers(input: $input) {
    revoked
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SessionRevokeOthersMutation, SessionRevokeOthersMutationVariables>;
export const SpendCapSetDocument = new TypedDocumentString(`
    mutation SpendCapSet($input: SpendCapSetInput!) {
  spendCapSet(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SpendCapSetMutation, SpendCapSetMutationVariables>;
export const SubjectRuleRemoveDocument = new TypedDocumentString(`
    mutation SubjectRuleRemove($input: SubjectRuleRemoveInput!) {
  subjectRuleRemove(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SubjectRuleRemoveMutation, SubjectRuleRemoveMutationVariables>;
export const SubjectRuleSetDocument = new TypedDocumentString(`
    mutation SubjectRuleSet($input: SubjectRuleSetInput!) {
  subjectRuleSet(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SubjectRuleSetMutation, SubjectRuleSetMutationVariables>;
export const TenantArchiveDocument = new TypedDocumentString(`
    mutation TenantArchive($input: TenantStatusInput!) {
  tenantArchive(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantArchiveMutation, TenantArchiveMutationVariables>;
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
export const TenantFloorsSetDocument = new TypedDocumentString(`
    mutation TenantFloorsSet($input: TenantFloorsSetInput!) {
  tenantFloorsSet(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantFloorsSetMutation, TenantFloorsSetMutationVariables>;
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
export const TenantSignUpDocument = new TypedDocumentString(`
    mutation TenantSignUp($input: TenantSignUpInput!) {
  tenantSignUp(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantSignUpMutation, TenantSignUpMutationVariables>;
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
export const TenantUpdateDocument = new TypedDocumentString(`
    mutation TenantUpdate($input: TenantUpdateInput!) {
  tenantUpdate(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<TenantUpdateMutation, TenantUpdateMutationVariables>;
export const TestClockAdvanceDocument = new TypedDocumentString(`
    mutation TestClockAdvance($input: TestClockAdvanceInput!) {
  testClockAdvance(input: $input) {
    clock {
      now
      isTest
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TestClockAdvanceMutation, TestClockAdvanceMutationVariables>;
export const TierArchiveDocument = new TypedDocumentString(`
    mutation TierArchive($input: TierLifecycleInput!) {
  tierArchive(input: $input) {
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
    `) as unknown as TypedDocumentString<TierArchiveMutation, TierArchiveMutationVariables>;
export const TierCohortExtendDocument = new TypedDocumentString(`
    mutation TierCohortExtend($input: TierCohortExtendInput!) {
  tierCohortExtend(input: $input) {
    tenants
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<TierCohortExtendMutation, TierCohortExtendMutationVariables>;
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
export const TierDeleteDocument = new TypedDocumentString(`
    mutation TierDelete($input: TierLifecycleInput!) {
  tierDelete(input: $input) {
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
    `) as unknown as TypedDocumentString<TierDeleteMutation, TierDeleteMutationVariables>;
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
export const TierDuplicateDocument = new TypedDocumentString(`
    mutation TierDuplicate($input: TierDuplicateInput!) {
  tierDuplicate(input: $input) {
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
    `) as unknown as TypedDocumentString<TierDuplicateMutation, TierDuplicateMutationVariables>;
export const TierMigrateDocument = new TypedDocumentString(`
    mutation TierMigrate($input: TierMigrateInput!) {
  tierMigrate(input: $input) {
    tenants
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<TierMigrateMutation, TierMigrateMutationVariables>;
export const TierRestoreDocument = new TypedDocumentString(`
    mutation TierRestore($input: TierLifecycleInput!) {
  tierRestore(input: $input) {
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
    `) as unknown as TypedDocumentString<TierRestoreMutation, TierRestoreMutationVariables>;
export const TierUpdateDocument = new TypedDocumentString(`
    mutation TierUpdate($input: TierUpdateInput!) {
  tierUpdate(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    userErrors {
      code
      field
      message
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<TierUpdateMutation, TierUpdateMutationVariables>;
export const UsageWidgetTokenCreateDocument = new TypedDocumentString(`
    mutation UsageWidgetTokenCreate($input: UsageWidgetTokenCreateInput!) {
  usageWidgetTokenCreate(input: $input) {
    url
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<UsageWidgetTokenCreateMutation, UsageWidgetTokenCreateMutationVariables>;
export const PaletteSearchDocument = new TypedDocumentString(`
    query PaletteSearch($text: String!, $status: TenantStatus) {
  tenants(first: 6, search: $text, status: $status) {
    nodes {
      key
      name
    }
  }
  apis(first: 5, search: $text) {
    nodes {
      key
      name
    }
  }
  tiers(first: 50) {
    nodes {
      key
      name
      draft {
        id
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PaletteSearchQuery, PaletteSearchQueryVariables>;
export const PaletteNodeDocument = new TypedDocumentString(`
    query PaletteNode($id: ID!) {
  node(id: $id) {
    __typename
    id
    ... on Api {
      apiKeyName: key
    }
    ... on Tier {
      tierKey: key
    }
    ... on Tenant {
      tenantKey: key
    }
    ... on Offer {
      offerKey: key
    }
    ... on AuditEntry {
      entityId
    }
  }
}
    `) as unknown as TypedDocumentString<PaletteNodeQuery, PaletteNodeQueryVariables>;
export const MatchingTenantsDocument = new TypedDocumentString(`
    query MatchingTenants($search: String) {
  tenants(first: 20, search: $search) {
    nodes {
      id
      key
      name
      parentKey
    }
  }
}
    `) as unknown as TypedDocumentString<MatchingTenantsQuery, MatchingTenantsQueryVariables>;
export const AccountSecurityDocument = new TypedDocumentString(`
    query AccountSecurity {
  accountSecurity {
    twoFactorEnabled
    recoveryCodesLeft
    passkeys {
      id
      name
      createdAt
      backedUp
    }
    sessions {
      id
      userAgent
      ipAddress
      createdAt
      lastUsedAt
      isCurrent
    }
  }
}
    `) as unknown as TypedDocumentString<AccountSecurityQuery, AccountSecurityQueryVariables>;
export const TenantAdjustmentsDocument = new TypedDocumentString(`
    query TenantAdjustments($tenantKey: String!) {
  overrides(tenantKey: $tenantKey, first: 50) {
    totalCount
    nodes {
      id
      kind
      status
      apiKey
      limit
      appliesTo
      reason
      startsAt
      endsAt
      createdAt
      createdBy
      removedAt
      effect {
        kind
        units
        percent
        limit
      }
    }
  }
  entitlements(tenantKey: $tenantKey, first: 50) {
    totalCount
    nodes {
      id
      source
      cause
      label
      purchaseId
      apiKey
      limit
      appliesTo
      startsAt
      endsAt
      unitsExpireAt
      remaining
      inForce
      createdAt
      actor
      effect {
        kind
        units
        percent
        limit
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TenantAdjustmentsQuery, TenantAdjustmentsQueryVariables>;
export const SubjectRulesDocument = new TypedDocumentString(`
    query SubjectRules($tenantKey: String, $live: Boolean!, $kind: SubjectEffectKind, $search: String, $first: Int!, $after: String) {
  subjectRules(
    tenantKey: $tenantKey
    live: $live
    kind: $kind
    search: $search
    first: $first
    after: $after
  ) {
    totalCount
    nodes {
      id
      dimension
      pattern
      apiKey
      limit
      status
      reason
      startsAt
      endsAt
      createdBy
      createdAt
      removedBy
      removedAt
      managedBy
      effect {
        kind
        limit
        percent
        message
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<SubjectRulesQuery, SubjectRulesQueryVariables>;
export const AlertThresholdsDocument = new TypedDocumentString(`
    query AlertThresholds($tenantKey: String!) {
  alertThresholds(tenantKey: $tenantKey) {
    id
    apiKey
    limitName
    percents
  }
}
    `) as unknown as TypedDocumentString<AlertThresholdsQuery, AlertThresholdsQueryVariables>;
export const ApiKeysDocument = new TypedDocumentString(`
    query ApiKeys($tenantKey: String!, $first: Int!, $after: String) {
  apiKeys(tenantKey: $tenantKey, first: $first, after: $after) {
    totalCount
    nodes {
      id
      name
      mode
      publicId
      scopes
      createdAt
      createdBy
      expiresAt
      lastUsedAt
      revokedAt
      secrets {
        lastFour
        endsAt
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ApiKeysQuery, ApiKeysQueryVariables>;
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
export const ApiDocument = new TypedDocumentString(`
    query Api($key: String!) {
  api(key: $key) {
    id
    key
    name
    description
    unknownOperations
    headerStyles
    tags
    managedBy
    version
    createdAt
    operations {
      id
      name
      description
      cost
      priority
    }
    pools {
      id
      name
      operations
      capacity
      reclaimPercent
      warmUp {
        ms
        startPercent
      }
    }
    defaultLimits {
      ...LimitFields
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<ApiQuery, ApiQueryVariables>;
export const TiersOfApiDocument = new TypedDocumentString(`
    query TiersOfApi($first: Int!, $after: String) {
  tiers(first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      key
      name
      rank
      published {
        id
        limits {
          ...LimitFields
        }
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<TiersOfApiQuery, TiersOfApiQueryVariables>;
export const PoolsLiveDocument = new TypedDocumentString(`
    query PoolsLive($key: String!) {
  api(key: $key) {
    id
    pools {
      id
      live {
        capacity
        admitted
        borrowed
        spare
        borrowers
        nodes
        warmUpLeftMs
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PoolsLiveQuery, PoolsLiveQueryVariables>;
export const DiscoveredOperationsDocument = new TypedDocumentString(`
    query DiscoveredOperations($apiKey: String) {
  discoveredOperations(apiKey: $apiKey) {
    apiKey
    apiKnown
    operation
    known
    count
    tenants
    lastHour
  }
}
    `) as unknown as TypedDocumentString<DiscoveredOperationsQuery, DiscoveredOperationsQueryVariables>;
export const AuditEntriesDocument = new TypedDocumentString(`
    query AuditEntries($first: Int!, $after: String, $tenant: String, $actor: String, $action: String, $entityId: String, $changeId: String, $from: DateTime, $to: DateTime) {
  auditEntries(
    first: $first
    after: $after
    tenant: $tenant
    actor: $actor
    action: $action
    entityId: $entityId
    changeId: $changeId
    from: $from
    to: $to
  ) {
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
      entityName
      entityKey
      revertedName
      tenantKey
      before
      after
      reason
      requestId
      changeId
      address
      userAgent
      chain
      sequence
      hash
    }
  }
}
    `) as unknown as TypedDocumentString<AuditEntriesQuery, AuditEntriesQueryVariables>;
export const AuditVerifyDocument = new TypedDocumentString(`
    query AuditVerify($tenantKey: String) {
  auditVerify(tenantKey: $tenantKey) {
    ok
    chains
    entries
    unsignedChains
    brokenChains
    breaks {
      chain
      sequence
      problem
    }
  }
}
    `) as unknown as TypedDocumentString<AuditVerifyQuery, AuditVerifyQueryVariables>;
export const BulkActionsDocument = new TypedDocumentString(`
    query BulkActions {
  bulkActions(first: 5) {
    nodes {
      id
      kind
      status
      input
      reason
      startedBy
      createdAt
      finishedAt
      revertedById
      stoppedBecause
      progress {
        total
        pending
        done
        failed
        canceled
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BulkActionsQuery, BulkActionsQueryVariables>;
export const BulkFailuresDocument = new TypedDocumentString(`
    query BulkFailures($id: ID!) {
  bulkAction(id: $id) {
    id
    items(first: 100, status: FAILED) {
      nodes {
        tenantKey
        error
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BulkFailuresQuery, BulkFailuresQueryVariables>;
export const BulkActionStartDocument = new TypedDocumentString(`
    mutation BulkActionStart($input: BulkActionStartInput!) {
  bulkActionStart(input: $input) {
    tenants
    tried
    refusals {
      tenantKey
      message
    }
    impact {
      tenants
      increased
      decreased
    }
    bulkAction {
      id
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<BulkActionStartMutation, BulkActionStartMutationVariables>;
export const ChangeSetsDocument = new TypedDocumentString(`
    query ChangeSets($after: String) {
  changeSets(first: 25, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      status
      version
      author
      createdAt
      scheduledAt
      items {
        id
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChangeSetsQuery, ChangeSetsQueryVariables>;
export const ChangeSetDocument = new TypedDocumentString(`
    query ChangeSet($id: ID!) {
  changeSet(id: $id) {
    id
    title
    description
    status
    version
    author
    createdAt
    reviewedBy
    reviewedAt
    note
    scheduledAt
    appliedAt
    appliedBy
    changeId
    revertsId
    items {
      id
      command
      input
    }
    diff {
      stale
      entries {
        item
        action
        entity
        entityId
        tenantKey
        fields {
          path
          before
          after
        }
      }
      errors {
        code
        field
        message
      }
      impact {
        ...ImpactFields
      }
    }
  }
}
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<ChangeSetQuery, ChangeSetQueryVariables>;
export const ChangeSetSubmitDocument = new TypedDocumentString(`
    mutation ChangeSetSubmit($input: ChangeSetInput!) {
  changeSetSubmit(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetSubmitMutation, ChangeSetSubmitMutationVariables>;
export const ChangeSetApproveDocument = new TypedDocumentString(`
    mutation ChangeSetApprove($input: ChangeSetReviewInput!) {
  changeSetApprove(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetApproveMutation, ChangeSetApproveMutationVariables>;
export const ChangeSetRejectDocument = new TypedDocumentString(`
    mutation ChangeSetReject($input: ChangeSetReviewInput!) {
  changeSetReject(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetRejectMutation, ChangeSetRejectMutationVariables>;
export const ChangeSetApplyDocument = new TypedDocumentString(`
    mutation ChangeSetApply($input: ChangeSetInput!) {
  changeSetApply(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetApplyMutation, ChangeSetApplyMutationVariables>;
export const ChangeSetCancelDocument = new TypedDocumentString(`
    mutation ChangeSetCancel($input: ChangeSetInput!) {
  changeSetCancel(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetCancelMutation, ChangeSetCancelMutationVariables>;
export const ChangeSetRevertDocument = new TypedDocumentString(`
    mutation ChangeSetRevert($input: ChangeSetInput!) {
  changeSetRevert(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetRevertMutation, ChangeSetRevertMutationVariables>;
export const ChangeSetScheduleDocument = new TypedDocumentString(`
    mutation ChangeSetSchedule($input: ChangeSetScheduleInput!) {
  changeSetSchedule(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetScheduleMutation, ChangeSetScheduleMutationVariables>;
export const ChangeSetRemoveItemDocument = new TypedDocumentString(`
    mutation ChangeSetRemoveItem($input: ChangeSetRemoveItemInput!) {
  changeSetRemoveItem(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetRemoveItemMutation, ChangeSetRemoveItemMutationVariables>;
export const ChangeSetCreateDocument = new TypedDocumentString(`
    mutation ChangeSetCreate($input: ChangeSetCreateInput!) {
  changeSetCreate(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetCreateMutation, ChangeSetCreateMutationVariables>;
export const ChangeSetAddItemDocument = new TypedDocumentString(`
    mutation ChangeSetAddItem($input: ChangeSetAddItemInput!) {
  changeSetAddItem(input: $input) {
    ...ChangeSetOutcome
  }
}
    fragment ChangeSetOutcome on ChangeSetPayload {
  changeId
  changeSet {
    id
    title
    version
    status
  }
  userErrors {
    code
    field
    message
  }
}`) as unknown as TypedDocumentString<ChangeSetAddItemMutation, ChangeSetAddItemMutationVariables>;
export const WhyDocument = new TypedDocumentString(`
    query Why($text: String!, $publicId: String!) {
  decision(requestId: $text) {
    id
    tenantKey
    requestId
    at
    nodeId
    apiKey
    operation
    cost
    outcome
    reason
    ruleId
    limitName
    retryAfter
    delayMs
    revision
    subject {
      dimension
      pseudonym
    }
    policies {
      limitName
      label
      limit
      remaining
      resetAt
      mode
      success
    }
  }
  tenantOfApiKey(publicId: $publicId) {
    id
    key
  }
  tenant(key: $text) {
    id
    key
  }
}
    `) as unknown as TypedDocumentString<WhyQuery, WhyQueryVariables>;
export const DeniedRequestDocument = new TypedDocumentString(`
    query DeniedRequest($link: String!) {
  deniedRequest(link: $link) {
    requestId
    at
    reason
    limitName
    retryAfter
    origin {
      tenantKey
      apiKey
      operation
      limitName
      past {
        ...PastLimitFields
      }
    }
  }
}
    fragment PastLimitFields on PastLimit {
  tierName
  tierVersion
  since
  limit {
    tierLimit
    provenance {
      adjustmentId
      label
      source
      from
      to
      until
    }
    limit {
      ...LimitFields
    }
  }
}
fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<DeniedRequestQuery, DeniedRequestQueryVariables>;
export const ExplanationDocument = new TypedDocumentString(`
    query Explanation($tenantKey: String!, $requestId: String!) {
  decisionExplanation(tenantKey: $tenantKey, requestId: $requestId) {
    decision {
      requestId
      at
      apiKey
      operation
      limitName
      cost
      outcome
      reason
      ruleId
      retryAfter
    }
    limits {
      limitName
      label
      mode
      success
      limit
      before
      after
      sufficient {
        field
        value
      }
    }
    passing {
      at
      cost
    }
    rule {
      id
      dimension
      pattern
      kind
      forAllTenants
      live
    }
    sharedBy
    past {
      ...PastLimitFields
    }
    today {
      limit {
        ...LimitFields
      }
    }
    minute {
      from
      to
      counted
      replayProblem
      points {
        at
        requestId
        remaining
        cost
        success
      }
      replay {
        from
        to
        limit
        decisions
        compared
        mismatches
        reliable
        steps {
          at
          left
          allowed
          denied
        }
      }
    }
  }
}
    fragment PastLimitFields on PastLimit {
  tierName
  tierVersion
  since
  limit {
    tierLimit
    provenance {
      adjustmentId
      label
      source
      from
      to
      until
    }
    limit {
      ...LimitFields
    }
  }
}
fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<ExplanationQuery, ExplanationQueryVariables>;
export const RecentDenialsDocument = new TypedDocumentString(`
    query RecentDenials($tenantKey: String!) {
  decisions(tenantKey: $tenantKey, outcome: DENIED, first: 100) {
    nodes {
      id
      requestId
      at
      apiKey
      operation
      limitName
      reason
      subject {
        dimension
        pseudonym
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RecentDenialsQuery, RecentDenialsQueryVariables>;
export const LadderDocument = new TypedDocumentString(`
    query Ladder($tenantKey: String!, $apiKey: String!, $limitName: String!, $revision: Int!, $at: DateTime!, $rule: ID, $liveRule: ID) {
  past: limitLadder(
    tenantKey: $tenantKey
    apiKey: $apiKey
    limitName: $limitName
    revision: $revision
    at: $at
    subjectRuleId: $rule
  ) {
    ...LadderFields
  }
  today: limitLadder(
    tenantKey: $tenantKey
    apiKey: $apiKey
    limitName: $limitName
    subjectRuleId: $liveRule
  ) {
    ...LadderFields
  }
}
    fragment LadderFields on LimitLadder {
  revision
  publishedAt
  tierKey
  tierName
  tierVersion
  limit {
    source
    tierLimit
    provenance {
      source
      adjustmentId
      label
      from
      to
      until
    }
    limit {
      ...LimitFields
    }
  }
  sources {
    adjustmentId
    actor
    reason
    purchaseId
    changeId
  }
  tierChange {
    changeId
    actor
    action
    reason
    changeSetId
    changeSetTitle
  }
  introduced {
    revision
    at
    isScheduled
    changes {
      changeId
      actor
      action
      reason
      changeSetId
      changeSetTitle
    }
  }
}
fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<LadderQuery, LadderQueryVariables>;
export const InstallationSettingsDocument = new TypedDocumentString(`
    query InstallationSettings {
  installationSettings {
    productName
    accent
    logo
    companyName
    address
    taxId
    registration
    contact
    invoiceNote
    taxLabel
    taxBasisPoints
    embedOrigins
    version
  }
}
    `) as unknown as TypedDocumentString<InstallationSettingsQuery, InstallationSettingsQueryVariables>;
export const JobsDocument = new TypedDocumentString(`
    query Jobs($state: JobState) {
  jobQueues {
    name
    paused
    counts {
      state
      count
    }
  }
  jobs(state: $state) {
    id
    queue
    name
    state
    attempts
    maxAttempts
    error
    stack
    data
    everyMs
    at
  }
}
    `) as unknown as TypedDocumentString<JobsQuery, JobsQueryVariables>;
export const InvitationDocument = new TypedDocumentString(`
    query Invitation($token: String!) {
  invitation(token: $token) {
    email
    to
    role
    hasAccount
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<InvitationQuery, InvitationQueryVariables>;
export const SignUpOpenDocument = new TypedDocumentString(`
    query SignUpOpen {
  installation {
    signUp
  }
}
    `) as unknown as TypedDocumentString<SignUpOpenQuery, SignUpOpenQueryVariables>;
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
export const DecisionSecondsDocument = new TypedDocumentString(`
    subscription DecisionSeconds {
  decisionSeconds {
    at
    nodes
    apis {
      api: apiKey
      allowed
      denied
    }
    mostDenied {
      tenant: tenantKey
      denied
    }
  }
}
    `) as unknown as TypedDocumentString<DecisionSecondsSubscription, DecisionSecondsSubscriptionVariables>;
export const TenantPeopleDocument = new TypedDocumentString(`
    query TenantPeople($tenantKey: String!) {
  tenant(key: $tenantKey) {
    name
    members {
      id
      name
      email
      role
    }
  }
  invitations(tenantKey: $tenantKey, first: 100) {
    nodes {
      id
      email
      role
      invitedBy
      expiresAt
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<TenantPeopleQuery, TenantPeopleQueryVariables>;
export const DecisionNodesDocument = new TypedDocumentString(`
    query DecisionNodes($includeRetired: Boolean) {
  decisionNodes(includeRetired: $includeRetired) {
    nodeId
    epoch
    version
    startedAt
    seenAt
    revision
    applyLatencyMs
    degraded
    stale
    policyAgeMs
    policyStale
    retiredAt
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
export const UndoTimeDocument = new TypedDocumentString(`
    query UndoTime {
  installation {
    undoSeconds
  }
}
    `) as unknown as TypedDocumentString<UndoTimeQuery, UndoTimeQueryVariables>;
export const RecentChangesDocument = new TypedDocumentString(`
    query RecentChanges($first: Int!) {
  revisions(first: $first) {
    nodes {
      number
      changes {
        changeId
        at
        actor
        action
        entity
        entityId
        entityName
        entityKey
        tenantKey
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RecentChangesQuery, RecentChangesQueryVariables>;
export const NoticeAddedDocument = new TypedDocumentString(`
    subscription NoticeAdded($tenantKey: String) {
  noticeAdded(tenantKey: $tenantKey) {
    id
  }
}
    `) as unknown as TypedDocumentString<NoticeAddedSubscription, NoticeAddedSubscriptionVariables>;
export const NoticesDocument = new TypedDocumentString(`
    query Notices($first: Int!, $after: String, $tenantKey: String) {
  notices(first: $first, after: $after, tenantKey: $tenantKey) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      kind
      severity
      title
      data
      tenantKey
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<NoticesQuery, NoticesQueryVariables>;
export const NoticesUnreadDocument = new TypedDocumentString(`
    query NoticesUnread($tenantKey: String) {
  noticesUnread(tenantKey: $tenantKey)
}
    `) as unknown as TypedDocumentString<NoticesUnreadQuery, NoticesUnreadQueryVariables>;
export const OffersDocument = new TypedDocumentString(`
    query Offers($first: Int!, $after: String, $status: OfferStatus) {
  offers(first: $first, after: $after, status: $status) {
    totalCount
    nodes {
      ...OfferFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment OfferFields on Offer {
  id
  key
  name
  description
  kind
  status
  isPriceConfirmed
  priceMinor
  currency
  interval
  validDays
  graceDays
  effects {
    apiKey
    limitName
    appliesTo
    kind
    units
    percent
  }
  tierKeys
  maxQuantity
  stock
  stockLeft
  carryOver
  version
  createdAt
}`) as unknown as TypedDocumentString<OffersQuery, OffersQueryVariables>;
export const OfferDocument = new TypedDocumentString(`
    query Offer($key: String!) {
  offer(key: $key) {
    ...OfferFields
  }
}
    fragment OfferFields on Offer {
  id
  key
  name
  description
  kind
  status
  isPriceConfirmed
  priceMinor
  currency
  interval
  validDays
  graceDays
  effects {
    apiKey
    limitName
    appliesTo
    kind
    units
    percent
  }
  tierKeys
  maxQuantity
  stock
  stockLeft
  carryOver
  version
  createdAt
}`) as unknown as TypedDocumentString<OfferQuery, OfferQueryVariables>;
export const OperatorsDocument = new TypedDocumentString(`
    query Operators {
  operators {
    id
    email
    name
    role
    createdAt
    suspendedAt
  }
  operatorInvitations(first: 50) {
    nodes {
      id
      email
      operatorRole
      invitedBy
      createdAt
      expiresAt
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorsQuery, OperatorsQueryVariables>;
export const OperatorInvitationResendDocument = new TypedDocumentString(`
    mutation OperatorInvitationResend($input: OperatorInvitationTargetInput!) {
  operatorInvitationResend(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorInvitationResendMutation, OperatorInvitationResendMutationVariables>;
export const OperatorInvitationRevokeDocument = new TypedDocumentString(`
    mutation OperatorInvitationRevoke($input: OperatorInvitationTargetInput!) {
  operatorInvitationRevoke(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorInvitationRevokeMutation, OperatorInvitationRevokeMutationVariables>;
export const DecisionUrlDocument = new TypedDocumentString(`
    query DecisionUrl {
  installation {
    decisionUrl
  }
}
    `) as unknown as TypedDocumentString<DecisionUrlQuery, DecisionUrlQueryVariables>;
export const PortalTenantDocument = new TypedDocumentString(`
    query PortalTenant($key: String!) {
  tenant(key: $key) {
    id
    key
    name
    status
    timeZone
    parentKey
    sharedLimits {
      apiKey
      name
      limit
      summary
      common
      live {
        used
        remaining
        resetAt
      }
      floor {
        units
        live {
          used
          remaining
          resetAt
        }
      }
    }
    subscription {
      tier {
        key
        name
      }
    }
    effectiveLimits {
      source
      tierLimit
      clamped
      live {
        used
        remaining
        resetAt
      }
      provenance {
        adjustmentId
        label
        source
        from
        to
        until
      }
      limit {
        ...LimitFields
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<PortalTenantQuery, PortalTenantQueryVariables>;
export const PortalUtilizationDocument = new TypedDocumentString(`
    query PortalUtilization($tenantKey: String!) {
  limitUtilization(tenantKey: $tenantKey) {
    apiKey
    limitName
    used
    capacity
    percent
    denied
    limitedSince
    resetsAt
    exhaustsAt
  }
}
    `) as unknown as TypedDocumentString<PortalUtilizationQuery, PortalUtilizationQueryVariables>;
export const PurchasesDocument = new TypedDocumentString(`
    query Purchases($first: Int!, $after: String, $tenantKey: String, $status: PurchaseStatus) {
  purchases(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {
    totalCount
    nodes {
      ...PurchaseFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment PurchaseFields on Purchase {
  id
  tenantKey
  label
  kind
  provider
  status
  quantity
  amountMinor
  currency
  interval
  isAutomatic
  renews
  paidThrough
  graceEndsAt
  checkoutUrl
  createdAt
  offer {
    key
    name
  }
  effects {
    apiKey
    limitName
    appliesTo
    kind
    units
    percent
  }
}`) as unknown as TypedDocumentString<PurchasesQuery, PurchasesQueryVariables>;
export const PurchaseDocument = new TypedDocumentString(`
    query Purchase($id: ID!) {
  purchase(id: $id) {
    ...PurchaseFields
    providerStop {
      attempts
      isExhausted
      lastError
      nextAttemptAt
    }
    payments {
      ref
      at
      amountMinor
      currency
      status
      reviewReason
      refundedMinor
      disputedMinor
    }
    events {
      id
      source
      type
      at
      payment
      amountMinor
      reason
    }
    moneyEntries {
      id
      account
      amountMinor
      currency
      at
    }
  }
}
    fragment PurchaseFields on Purchase {
  id
  tenantKey
  label
  kind
  provider
  status
  quantity
  amountMinor
  currency
  interval
  isAutomatic
  renews
  paidThrough
  graceEndsAt
  checkoutUrl
  createdAt
  offer {
    key
    name
  }
  effects {
    apiKey
    limitName
    appliesTo
    kind
    units
    percent
  }
}`) as unknown as TypedDocumentString<PurchaseQuery, PurchaseQueryVariables>;
export const PaymentProvidersDocument = new TypedDocumentString(`
    query PaymentProviders {
  paymentProviders
}
    `) as unknown as TypedDocumentString<PaymentProvidersQuery, PaymentProvidersQueryVariables>;
export const PurchasePreviewDocument = new TypedDocumentString(`
    query PurchasePreview($tenantKey: String!, $offerKey: String!, $quantity: Int!) {
  purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey, quantity: $quantity) {
    limits {
      apiKey
      limitName
      before
      after
      past {
        requests
        denied
        gap
        after {
          low
          high
        }
      }
    }
    noEffect
    amountMinor
    renewsAt
  }
}
    `) as unknown as TypedDocumentString<PurchasePreviewQuery, PurchasePreviewQueryVariables>;
export const InvoicesDocument = new TypedDocumentString(`
    query Invoices($first: Int!, $after: String, $tenantKey: String, $status: InvoiceStatus) {
  invoices(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {
    totalCount
    nodes {
      ...InvoiceFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment InvoiceFields on Invoice {
  id
  number
  period
  status
  amountMinor
  currency
  issuedAt
  dueAt
  closedAt
  reference
  purchase {
    id
    tenantKey
    label
  }
}`) as unknown as TypedDocumentString<InvoicesQuery, InvoicesQueryVariables>;
export const BillingDetailsDocument = new TypedDocumentString(`
    query BillingDetails($tenantKey: String!) {
  billingDetails(tenantKey: $tenantKey) {
    name
    address
    taxId
    email
    version
  }
}
    `) as unknown as TypedDocumentString<BillingDetailsQuery, BillingDetailsQueryVariables>;
export const PaymentEventReviewsDocument = new TypedDocumentString(`
    query PaymentEventReviews($first: Int!, $after: String, $status: PaymentEventReviewStatus) {
  paymentEventReviews(first: $first, after: $after, status: $status) {
    totalCount
    nodes {
      id
      provider
      eventId
      type
      apiVersion
      problem
      status
      attempts
      receivedAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentEventReviewsQuery, PaymentEventReviewsQueryVariables>;
export const BillingTimeDocument = new TypedDocumentString(`
    query BillingTime($tenantKey: String!) {
  billingTime(tenantKey: $tenantKey) {
    now
    isTest
  }
}
    `) as unknown as TypedDocumentString<BillingTimeQuery, BillingTimeQueryVariables>;
export const SpendingDocument = new TypedDocumentString(`
    query Spending($tenantKey: String!) {
  spending(tenantKey: $tenantKey) {
    currency
    capMinor
    paidMinor
    expectedMinor
    resetsAt
  }
}
    `) as unknown as TypedDocumentString<SpendingQuery, SpendingQueryVariables>;
export const AutoTopUpsDocument = new TypedDocumentString(`
    query AutoTopUps($tenantKey: String!) {
  autoTopUps(tenantKey: $tenantKey) {
    id
    apiKey
    limitName
    status
    stopReason
    stopDetail
    thresholdUnits
    thresholdPercent
    capMinor
    spentMinor
    isCapReached
    resetsAt
    currency
    agreedPriceMinor
    provider
    card
    cardLabel
    hasOpenOrder
    orderedAt
    offer {
      key
      name
      priceMinor
    }
  }
}
    `) as unknown as TypedDocumentString<AutoTopUpsQuery, AutoTopUpsQueryVariables>;
export const PaymentCardsDocument = new TypedDocumentString(`
    query PaymentCards($tenantKey: String!) {
  paymentCards(tenantKey: $tenantKey) {
    providers
    problem
    cards {
      provider
      ref
      label
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentCardsQuery, PaymentCardsQueryVariables>;
export const RevenueDocument = new TypedDocumentString(`
    query Revenue {
  revenue {
    currency
    monthlyMinor
    receivedMinor
    failedRenewals
    failedMinor
    offers {
      offerKey
      offerName
      purchases
      monthlyMinor
    }
    upgrades {
      tierKey
      tierName
      purchases
    }
  }
}
    `) as unknown as TypedDocumentString<RevenueQuery, RevenueQueryVariables>;
export const TopUpUnitsDocument = new TypedDocumentString(`
    query TopUpUnits($tenantKey: String!) {
  entitlements(tenantKey: $tenantKey, live: true, first: 100) {
    nodes {
      id
      label
      apiKey
      limit
      remaining
      unitsExpireAt
      effect {
        units
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TopUpUnitsQuery, TopUpUnitsQueryVariables>;
export const QuotaRequestsDocument = new TypedDocumentString(`
    query QuotaRequests($first: Int!, $after: String, $tenantKey: String, $status: QuotaRequestStatus) {
  quotaRequests(
    first: $first
    after: $after
    tenantKey: $tenantKey
    status: $status
  ) {
    totalCount
    nodes {
      ...QuotaRequestFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment QuotaRequestFields on QuotaRequest {
  id
  status
  apiKey
  limit
  current
  wanted
  why
  offered
  until
  answer
  requestedBy
  version
  createdAt
  tenant {
    key
    name
    timeZone
  }
}`) as unknown as TypedDocumentString<QuotaRequestsQuery, QuotaRequestsQueryVariables>;
export const RevisionsDocument = new TypedDocumentString(`
    query Revisions($first: Int!, $after: String, $catalogueOnly: Boolean) {
  revisions(first: $first, after: $after, catalogueOnly: $catalogueOnly) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      number
      cause
      publishedAt
      catalogueRevision
      size
      tenantCount
      changeCount
      changes {
        changeId
        at
        actor
        action
        entity
        entityId
        entityName
        entityKey
        tenantKey
        reason
      }
    }
  }
}
    `) as unknown as TypedDocumentString<RevisionsQuery, RevisionsQueryVariables>;
export const RevisionDiffDocument = new TypedDocumentString(`
    query RevisionDiff($from: Int!, $to: Int!) {
  revisionDiff(from: $from, to: $to) {
    from
    to
    tiers {
      key
      kind
      fromVersion
      toVersion
      fromWeight
      toWeight
      limits {
        name
        kind
        from
        to
      }
    }
    apis {
      key
      kind
      fromUnknownOperations
      toUnknownOperations
      operations {
        name
        kind
        from
        to
      }
      pools {
        name
        kind
        from
        to
      }
    }
    subjectRules {
      name
      kind
      from
      to
    }
  }
}
    `) as unknown as TypedDocumentString<RevisionDiffQuery, RevisionDiffQueryVariables>;
export const PolicyRollbackDocument = new TypedDocumentString(`
    mutation PolicyRollback($input: PolicyRollbackInput!) {
  policyRollback(input: $input) {
    changeId
    rollback {
      toRevision
      tiers
      apis
      subjectRules
      kept
    }
    impact {
      tenants
      increased
      decreased
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PolicyRollbackMutation, PolicyRollbackMutationVariables>;
export const ServiceTokensDocument = new TypedDocumentString(`
    query ServiceTokens {
  serviceTokens {
    id
    name
    publicId
    lastFour
    scopes
    tenantKeys
    lastUsedAt
    replacedById
    createdAt
    expiresAt
    revokedAt
  }
}
    `) as unknown as TypedDocumentString<ServiceTokensQuery, ServiceTokensQueryVariables>;
export const TenantDetailDocument = new TypedDocumentString(`
    query TenantDetail($key: String!) {
  tenant(key: $key) {
    id
    key
    name
    status
    timeZone
    billingAnchorDay
    version
    createdAt
    tags
    managedBy
    parentKey
    floors {
      apiKey
      limit
      units
    }
    sharedLimits {
      apiKey
      name
      limit
      summary
      common
      live {
        used
        remaining
        resetAt
      }
      floor {
        units
        live {
          used
          remaining
          resetAt
        }
      }
    }
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
      tierLimit
      clamped
      provenance {
        source
        adjustmentId
        label
        from
        to
        until
      }
      live {
        used
        remaining
        resetAt
      }
      limit {
        ...LimitFields
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<TenantDetailQuery, TenantDetailQueryVariables>;
export const TenantTierTrialDocument = new TypedDocumentString(`
    mutation TenantTierTrial($input: TenantTierChangeInput!) {
  tenantTierChange(input: $input) {
    warnings {
      apiKey
      name
      message
    }
    impact {
      tenants
      increased
      decreased
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TenantTierTrialMutation, TenantTierTrialMutationVariables>;
export const TenantChildrenDocument = new TypedDocumentString(`
    query TenantChildren($parent: String!) {
  tenants(first: 8, parent: $parent) {
    nodes {
      id
      key
      name
      status
      floors {
        apiKey
        limit
        units
      }
    }
    totalCount
  }
}
    `) as unknown as TypedDocumentString<TenantChildrenQuery, TenantChildrenQueryVariables>;
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
export const TenantBoardDocument = new TypedDocumentString(`
    query TenantBoard($first: Int!, $after: String, $orderBy: UtilizationOrder!, $descending: Boolean!, $search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean, $tenantKey: String) {
  tenantUtilization(
    first: $first
    after: $after
    orderBy: $orderBy
    descending: $descending
    tenantKey: $tenantKey
    search: $search
    tier: $tier
    status: $status
    minPercent: $minPercent
    denied: $denied
  ) {
    pageInfo {
      endCursor
      hasNextPage
    }
    nodes {
      percent
      requests
      denied
      exhaustsAt
      requestsByHour
      deniedByHour
      tenant {
        id
        key
        name
        status
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
      tightest {
        ...BoardLimit
      }
      exhausting {
        ...BoardLimit
      }
    }
  }
}
    fragment BoardLimit on LimitUtilization {
  apiKey
  limitName
  limit
  windowMs
  period
  per
  used
  capacity
  percent
  denied
  peakAt
  limitedSince
  resetsAt
  exhaustsAt
}`) as unknown as TypedDocumentString<TenantBoardQuery, TenantBoardQueryVariables>;
export const LimitUtilizationDocument = new TypedDocumentString(`
    query LimitUtilization($tenantKey: String!) {
  limitUtilization(tenantKey: $tenantKey) {
    ...BoardLimit
  }
}
    fragment BoardLimit on LimitUtilization {
  apiKey
  limitName
  limit
  windowMs
  period
  per
  used
  capacity
  percent
  denied
  peakAt
  limitedSince
  resetsAt
  exhaustsAt
}`) as unknown as TypedDocumentString<LimitUtilizationQuery, LimitUtilizationQueryVariables>;
export const TenantBoardCountDocument = new TypedDocumentString(`
    query TenantBoardCount($search: String, $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean) {
  tenantUtilization(
    first: 1
    search: $search
    tier: $tier
    status: $status
    minPercent: $minPercent
    denied: $denied
  ) {
    totalCount
  }
}
    `) as unknown as TypedDocumentString<TenantBoardCountQuery, TenantBoardCountQueryVariables>;
export const SavedViewsDocument = new TypedDocumentString(`
    query SavedViews {
  savedViews(list: "tenants") {
    id
    name
    search
  }
}
    `) as unknown as TypedDocumentString<SavedViewsQuery, SavedViewsQueryVariables>;
export const TenantVersionDocument = new TypedDocumentString(`
    query TenantVersion($key: String!) {
  tenant(key: $key) {
    id
    version
  }
}
    `) as unknown as TypedDocumentString<TenantVersionQuery, TenantVersionQueryVariables>;
export const LimitBoostDocument = new TypedDocumentString(`
    mutation LimitBoost($input: BoostStartInput!) {
  boostStart(input: $input) {
    changeId
    warnings
    impact {
      tenants
      increased
      decreased
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<LimitBoostMutation, LimitBoostMutationVariables>;
export const LimitPeaksDocument = new TypedDocumentString(`
    query LimitPeaks($tenantKey: String!, $apiKey: String!, $limitName: String!) {
  limitPeaks(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName) {
    at
    used
    capacity
    denied
  }
}
    `) as unknown as TypedDocumentString<LimitPeaksQuery, LimitPeaksQueryVariables>;
export const SubjectLimitsDocument = new TypedDocumentString(`
    query SubjectLimits($tenantKey: String!, $subject: [DecisionSubjectInput!]!) {
  subjectLimits(tenantKey: $tenantKey, subject: $subject) {
    access
    rule {
      id
      dimension
      pattern
      reason
      tenant {
        id
      }
    }
    effective {
      source
      tierLimit
      clamped
      provenance {
        source
        adjustmentId
        label
        from
        to
        until
      }
      limit {
        ...LimitFields
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<SubjectLimitsQuery, SubjectLimitsQueryVariables>;
export const TestRequestApisDocument = new TypedDocumentString(`
    query TestRequestApis {
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
    `) as unknown as TypedDocumentString<TestRequestApisQuery, TestRequestApisQueryVariables>;
export const TestRequestLimitsDocument = new TypedDocumentString(`
    query TestRequestLimits($tenantKey: String!) {
  tenant(key: $tenantKey) {
    id
    effectiveLimits {
      limit {
        ...LimitFields
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<TestRequestLimitsQuery, TestRequestLimitsQueryVariables>;
export const TestRequestKeysDocument = new TypedDocumentString(`
    query TestRequestKeys($tenantKey: String!) {
  apiKeys(tenantKey: $tenantKey, first: 50) {
    nodes {
      id
      name
      publicId
      scopes
      revokedAt
    }
  }
}
    `) as unknown as TypedDocumentString<TestRequestKeysQuery, TestRequestKeysQueryVariables>;
export const TestRequestSendDocument = new TypedDocumentString(`
    mutation TestRequestSend($input: TestRequestSendInput!) {
  testRequestSend(input: $input) {
    results {
      status
      success
      reason
      limitName
      limit
      remaining
      resetAt
      retryAfter
      delayMs
      degraded
      revision
      requestId
      headers {
        name
        value
      }
      policies {
        limitName
        label
        limit
        remaining
        resetAt
        mode
        success
      }
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TestRequestSendMutation, TestRequestSendMutationVariables>;
export const TiersDocument = new TypedDocumentString(`
    query Tiers($first: Int!, $after: String) {
  tiers(first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      key
      name
      description
      rank
      version
      tenantCount
      managedBy
      archivedAt
      draft {
        id
        number
      }
      published {
        id
        number
        publishedAt
        limits {
          ...LimitFields
        }
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<TiersQuery, TiersQueryVariables>;
export const TierDetailDocument = new TypedDocumentString(`
    query TierDetail($key: String!) {
  tier(key: $key) {
    id
    key
    name
    description
    rank
    weight
    tags
    signUp
    version
    tenantCount
    managedBy
    archivedAt
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
  apis(first: 100) {
    nodes {
      id
      key
      name
      version
      operations {
        id
        name
      }
      pools {
        id
        name
      }
    }
  }
}
    fragment TierVersionFields on TierVersion {
  id
  number
  status
  publishedAt
  publishedBy
  note
  audience
  automatic
  carryOver
  tenantCount
  cohort {
    percent
    tags
    tenantKeys
  }
  limits {
    ...LimitFields
  }
}
fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<TierDetailQuery, TierDetailQueryVariables>;
export const TierPublishDocument = new TypedDocumentString(`
    mutation TierPublish($input: TierPublishInput!) {
  tierPublish(input: $input) {
    changeId
    impact {
      ...ImpactFields
    }
    warnings {
      code
      severity
      message
      advice
      path
    }
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
    fragment ImpactFields on Impact {
  tenants
  increased
  decreased
  sample {
    tenantKey
    tenantName
    increased
    decreased
  }
  overruns {
    tenantKey
    tenantName
    apiKey
    limitName
    limit
    peak
    excess
    units
    days
    at
  }
}`) as unknown as TypedDocumentString<TierPublishMutation, TierPublishMutationVariables>;
export const TierLintDocument = new TypedDocumentString(`
    query TierLint($tierKey: String!, $version: Int) {
  tierLint(tierKey: $tierKey, version: $version) {
    severity
    code
    message
    advice
    path
  }
}
    `) as unknown as TypedDocumentString<TierLintQuery, TierLintQueryVariables>;
export const CandidateComparisonDocument = new TypedDocumentString(`
    query CandidateComparison($tierKey: String!) {
  candidateComparison(tierKey: $tierKey) {
    apiKey
    limitName
    from
    to
    tenants
    count
    liveDenied
    candidateDenied
    newlyDenied
    newlyAllowed
  }
}
    `) as unknown as TypedDocumentString<CandidateComparisonQuery, CandidateComparisonQueryVariables>;
export const PublicationGuardDocument = new TypedDocumentString(`
    query PublicationGuard($tierKey: String!) {
  publicationGuard(tierKey: $tierKey) {
    id
    versionNumber
    state
    maxDenialRise
    minDecisions
    endsAt
    checkedAt
    message
    figures {
      affected {
        tenants
        decisions
        before
        after
      }
      pinned {
        tenants
        decisions
        before
        after
      }
      worst {
        tenantKey
        before
        after
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PublicationGuardQuery, PublicationGuardQueryVariables>;
export const TierCompareDocument = new TypedDocumentString(`
    query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {
  tierCompare(a: $a, b: $b) {
    increased
    decreased
    limits {
      apiKey
      name
      kind
      increased
      decreased
      before {
        ...LimitFields
      }
      after {
        ...LimitFields
      }
    }
  }
}
    fragment LimitFields on Limit {
  id
  name
  apiKey
  alsoApis
  operations
  per
  onMissing
  onUnavailable
  deadlineMs
  charge
  attemptTimeoutMs
  inHeaders
  storage
  expectedSubjects
  ipv4Prefix
  ipv6Prefix
  rolloverPercent
  sharedWithChildren
  summary
  origin
  penalty {
    denials
    windowMs
    blockMs
    maxBlockMs
  }
  warmUp {
    ms
    startPercent
  }
  amounts {
    by
    labels {
      label
      limit
    }
    others
  }
  algorithm
  limit
  windowMs
  alignment
  buckets
  capacity
  refill
  queue
  burst
  leaseMs
  period
  throttle {
    mode
    percent
    maxPercent
    pool
    maxDelayMs
  }
  enforcement {
    mode
    percent
  }
  consistency {
    mode
    leaseMs
  }
  candidate {
    algorithm
    limit
    windowMs
    alignment
    buckets
    capacity
    refill
    queue
    burst
    leaseMs
    period
  }
}`) as unknown as TypedDocumentString<TierCompareQuery, TierCompareQueryVariables>;
export const ApisForMatrixDocument = new TypedDocumentString(`
    query ApisForMatrix {
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
    `) as unknown as TypedDocumentString<ApisForMatrixQuery, ApisForMatrixQueryVariables>;
export const LimitPoolCreateDocument = new TypedDocumentString(`
    mutation LimitPoolCreate($input: PoolCreateInput!) {
  poolCreate(input: $input) {
    changeId
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<LimitPoolCreateMutation, LimitPoolCreateMutationVariables>;
export const UsageOverTimeDocument = new TypedDocumentString(`
    query UsageOverTime($tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!], $apiKey: String, $operation: String, $limitName: String) {
  usage(
    tenantKey: $tenantKey
    from: $from
    to: $to
    interval: $interval
    groupBy: $groupBy
    apiKey: $apiKey
    operation: $operation
    limitName: $limitName
  ) {
    tenantKey
    interval
    timeZone
    from
    to
    keptSince
    omittedSeries
    total {
      count
      denied
      degraded
      units
    }
    series {
      apiKey
      operation
      limitName
      outcome
      total {
        count
        denied
        degraded
        units
      }
      points {
        at
        count
        denied
        degraded
        units
        candidateDenied
      }
    }
  }
}
    `) as unknown as TypedDocumentString<UsageOverTimeQuery, UsageOverTimeQueryVariables>;
export const TrafficDocument = new TypedDocumentString(`
    query Traffic($from: DateTime!, $to: DateTime) {
  traffic(from: $from, to: $to) {
    from
    to
    stepMs
    p50Ms
    p99Ms
    total {
      count
      denied
      degraded
      units
    }
    points {
      at
      count
      denied
      degraded
      units
      p50Ms
      p99Ms
    }
    previousTotal {
      count
      denied
      degraded
      units
    }
    previousPoints {
      at
      count
      denied
      degraded
      units
    }
    publications {
      tierKey
      tierName
      number
      at
    }
  }
}
    `) as unknown as TypedDocumentString<TrafficQuery, TrafficQueryVariables>;
export const TrafficLeaderDocument = new TypedDocumentString(`
    query TrafficLeader($from: DateTime!, $to: DateTime) {
  usageTop(from: $from, to: $to, orderBy: DENIED, first: 1) {
    tenantKey
    tenantName
    denied
  }
}
    `) as unknown as TypedDocumentString<TrafficLeaderQuery, TrafficLeaderQueryVariables>;
export const UsageSummaryDocument = new TypedDocumentString(`
    query UsageSummary($tenantKey: String!) {
  usageSummary(tenantKey: $tenantKey) {
    periodStart
    periodEnd
    total {
      count
      denied
    }
    peakDay {
      at
      count
    }
    peakMinute {
      at
      count
    }
  }
}
    `) as unknown as TypedDocumentString<UsageSummaryQuery, UsageSummaryQueryVariables>;
export const LimitCrossingsDocument = new TypedDocumentString(`
    query LimitCrossings($tenantKey: String!, $first: Int!) {
  limitCrossings(tenantKey: $tenantKey, first: $first) {
    totalCount
    nodes {
      id
      apiKey
      limitName
      counter
      percent
      used
      capacity
      at
    }
  }
}
    `) as unknown as TypedDocumentString<LimitCrossingsQuery, LimitCrossingsQueryVariables>;
export const WebhookEndpointsDocument = new TypedDocumentString(`
    query WebhookEndpoints($tenantKey: String) {
  webhookEndpoints(tenantKey: $tenantKey) {
    id
    tenantKey
    url
    description
    events
    status
    disabledReason
    previousUntil
    version
    createdAt
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>;
export const WebhookEndpointCreateDocument = new TypedDocumentString(`
    mutation WebhookEndpointCreate($input: WebhookEndpointCreateInput!) {
  webhookEndpointCreate(input: $input) {
    secret
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointCreateMutation, WebhookEndpointCreateMutationVariables>;
export const WebhookEndpointUpdateDocument = new TypedDocumentString(`
    mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {
  webhookEndpointUpdate(input: $input) {
    endpoint {
      version
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointUpdateMutation, WebhookEndpointUpdateMutationVariables>;
export const WebhookEndpointEnableDocument = new TypedDocumentString(`
    mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {
  webhookEndpointEnable(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointEnableMutation, WebhookEndpointEnableMutationVariables>;
export const WebhookEndpointDisableDocument = new TypedDocumentString(`
    mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {
  webhookEndpointDisable(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointDisableMutation, WebhookEndpointDisableMutationVariables>;
export const WebhookEndpointDeleteDocument = new TypedDocumentString(`
    mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {
  webhookEndpointDelete(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointDeleteMutation, WebhookEndpointDeleteMutationVariables>;
export const WebhookEndpointTestDocument = new TypedDocumentString(`
    mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {
  webhookEndpointTest(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointTestMutation, WebhookEndpointTestMutationVariables>;
export const WebhookEndpointSecretRotateDocument = new TypedDocumentString(`
    mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {
  webhookEndpointSecretRotate(input: $input) {
    secret
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookEndpointSecretRotateMutation, WebhookEndpointSecretRotateMutationVariables>;
export const WebhookDeliveriesDocument = new TypedDocumentString(`
    query WebhookDeliveries($endpointId: ID!, $first: Int!, $after: String) {
  webhookDeliveries(endpointId: $endpointId, first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      event
      body
      status
      nextAttemptAt
      createdAt
      log {
        number
        at
        durationMs
        statusCode
        error
      }
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookDeliveryRetryDocument = new TypedDocumentString(`
    mutation WebhookDeliveryRetry($input: WebhookDeliveryRetryInput!) {
  webhookDeliveryRetry(input: $input) {
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<WebhookDeliveryRetryMutation, WebhookDeliveryRetryMutationVariables>;
export const ChangeReversalDocument = new TypedDocumentString(`
    query ChangeReversal($changeId: ID!) {
  changeReversal(changeId: $changeId) {
    changeId
    actor
    at
    actions
    revertible
    obstacle
  }
}
    `) as unknown as TypedDocumentString<ChangeReversalQuery, ChangeReversalQueryVariables>;
export const LimitHistoryDocument = new TypedDocumentString(`
    query LimitHistory($tenantKey: String!) {
  limitHistory(tenantKey: $tenantKey) {
    apiKey
    limitName
    measure
    windowMs
    days {
      at
      used
      denied
    }
    steps {
      at
      limit
      lasting
    }
  }
}
    `) as unknown as TypedDocumentString<LimitHistoryQuery, LimitHistoryQueryVariables>;
export const ScopeApisDocument = new TypedDocumentString(`
    query ScopeApis($first: Int!, $after: String) {
  apis(first: $first, after: $after) {
    totalCount
    nodes {
      key
      name
      defaultLimits {
        name
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ScopeApisQuery, ScopeApisQueryVariables>;
export const ScopeTiersDocument = new TypedDocumentString(`
    query ScopeTiers($first: Int!, $after: String) {
  tiers(first: $first, after: $after) {
    totalCount
    nodes {
      key
      name
      rank
      archivedAt
      published {
        limits {
          name
          apiKey
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ScopeTiersQuery, ScopeTiersQueryVariables>;
export const SimulationStartDocument = new TypedDocumentString(`
    mutation SimulationStart($input: SimulationStartInput!) {
  simulationStart(input: $input) {
    simulation {
      id
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SimulationStartMutation, SimulationStartMutationVariables>;
export const SimulationCancelDocument = new TypedDocumentString(`
    mutation SimulationCancel($input: SimulationCancelInput!) {
  simulationCancel(input: $input) {
    simulation {
      id
    }
    userErrors {
      code
      field
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SimulationCancelMutation, SimulationCancelMutationVariables>;
export const SimulationDocument = new TypedDocumentString(`
    query Simulation($id: ID!) {
  simulation(id: $id) {
    ...SimulationFields
  }
}
    fragment SimulationFields on Simulation {
  id
  state
  from
  to
  decisions
  replayed
  message
  result {
    reliable
    decisions
    covered
    notWarm
    baselineDenied
    draftDenied
    newlyDenied
    newlyAllowed
    newlyDeniedTenants
    subjects
    newlyDeniedSubjects
    stepMinutes
    unpricedUnits
    newlyDeniedCosts {
      currency
      amountMinor
    }
    calibration {
      compared
      share
    }
    uncovered {
      reason
      decisions
    }
    limits {
      apiKey
      limitName
      decisions
      baselineDenied
      draftDenied
    }
    tenants {
      tenantKey
      tenantName
      decisions
      newlyDenied
      newlyAllowed
      examples {
        at
        operation
        limitName
        retryAfter
      }
    }
    series {
      at
      baselineDenied
      draftDenied
    }
  }
}`) as unknown as TypedDocumentString<SimulationQuery, SimulationQueryVariables>;
export const SimulationProgressDocument = new TypedDocumentString(`
    subscription SimulationProgress($id: ID!) {
  simulationProgress(id: $id) {
    ...SimulationFields
  }
}
    fragment SimulationFields on Simulation {
  id
  state
  from
  to
  decisions
  replayed
  message
  result {
    reliable
    decisions
    covered
    notWarm
    baselineDenied
    draftDenied
    newlyDenied
    newlyAllowed
    newlyDeniedTenants
    subjects
    newlyDeniedSubjects
    stepMinutes
    unpricedUnits
    newlyDeniedCosts {
      currency
      amountMinor
    }
    calibration {
      compared
      share
    }
    uncovered {
      reason
      decisions
    }
    limits {
      apiKey
      limitName
      decisions
      baselineDenied
      draftDenied
    }
    tenants {
      tenantKey
      tenantName
      decisions
      newlyDenied
      newlyAllowed
      examples {
        at
        operation
        limitName
        retryAfter
      }
    }
    series {
      at
      baselineDenied
      draftDenied
    }
  }
}`) as unknown as TypedDocumentString<SimulationProgressSubscription, SimulationProgressSubscriptionVariables>;
export const PermissionRolesDocument = new TypedDocumentString(`
    query PermissionRoles {
  permissionRoles {
    permission
    operatorRoles
  }
}
    `) as unknown as TypedDocumentString<PermissionRolesQuery, PermissionRolesQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    id
    name
    email
    role
    permissions
    memberships {
      tenantKey
      tenantName
      role
      permissions
    }
  }
  permissionRoles {
    permission
    operatorRoles
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const GrantableDocument = new TypedDocumentString(`
    query Grantable($tenantKey: String) {
  grantable(tenantKey: $tenantKey) {
    memberRoles
    operatorRoles
    scopes
  }
}
    `) as unknown as TypedDocumentString<GrantableQuery, GrantableQueryVariables>;