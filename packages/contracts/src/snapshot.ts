import * as z from 'zod';
import { adjustmentSchema, MAX_ADJUSTMENTS } from './adjustments.js';
import { MAX_COST } from './decision.js';
import { HEADER_STYLES } from './headers.js';
import { carryOverSchema, limitPolicySchema } from './limit-policy.js';
import {
  apiKeySchema,
  keyScopeSchema,
  limitNameSchema,
  operationNameSchema,
  poolNameSchema,
  tenantKeySchema,
  tierKeySchema,
} from './names.js';

/** Header styles of an API; empty: no headers. */
export const headerStylesSchema = z
  .array(z.enum(HEADER_STYLES))
  .max(HEADER_STYLES.length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice');

/** Policy of the nodes: JSON records in Redis, written by the relay, read and validated by every node. */

const revision = z.int().min(1);

/** Priority when a pool is short of capacity: background is denied first, then normal, critical last. */
export const prioritySchema = z.enum(['critical', 'normal', 'background']);

/** Capacity that an API's tenants share. */
export const poolSchema = z.strictObject({
  name: poolNameSchema,
  /** Operations that draw on it; empty: every one of the API. An operation draws on the first pool that has it. */
  operations: z.array(operationNameSchema).max(100),
  /** Units a second, measured over a sliding second. */
  capacity: z.int().min(1).max(1_000_000_000),
  /** Capacity below this percentage is spare and can be borrowed. */
  reclaimPercent: z.int().min(1).max(100),
});

const apiRecord = z.strictObject({
  key: apiKeySchema,
  /**
   * A request for an unregistered operation. `count`: decided by the limits on every operation of the API. `allow`: not limited.
   * `refuse`: denied, reason `BLOCKED`.
   */
  unknownOperations: z.enum(['count', 'allow', 'refuse']),
  operations: z.array(
    z.strictObject({
      name: operationNameSchema,
      cost: z.int().min(1).max(MAX_COST),
      /** Default: normal. */
      priority: prioritySchema.optional(),
    }),
  ),
  /** Default: none. */
  pools: z.array(poolSchema).max(16).optional(),
  /** Header styles; default `DEFAULT_HEADER_STYLES`. */
  headerStyles: headerStylesSchema.optional(),
});

const tierVersionRecord = z.strictObject({
  number: z.int().min(1),
  limits: z.array(limitPolicySchema),
  /** Indexes of the limits that are defaults of their API, not the tier's own; default: none. */
  defaults: z.array(z.int().min(0)).min(1).optional(),
  /** The version that this one replaced, for tenants that follow the tier; absent: none, or long ago. */
  replaces: z.strictObject({ number: z.int().min(1), carryOver: carryOverSchema, atMs: z.int() }).optional(),
});

const tierRecord = z.strictObject({
  key: tierKeySchema,
  currentVersion: z.int().min(1),
  /** Share of spare capacity among borrowers; default 1. */
  weight: z.int().min(1).max(1000).optional(),
  /** The current version, every older one that a subscription is pinned to, and those that they lately replaced. */
  versions: z.array(tierVersionRecord).min(1),
});

/** HMAC-SHA256 under a pepper, hex. */
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/);

/** Version of the pepper of a hash; default 1. */
const pepperVersion = z.int().min(1).optional();

/** A service token record: never the token, only its hash. */
const serviceTokenRecord = z.strictObject({
  publicId: z.string(),
  hash: tokenHash,
  pepper: pepperVersion,
  scopes: z.array(z.string()),
  expiresAtMs: z.int().nullable(),
});

/** Data that every node holds completely: APIs, tiers, service tokens. */
export const catalogueSchema = z.strictObject({
  kind: z.literal('catalogue'),
  revision,
  apis: z.array(apiRecord),
  tiers: z.array(tierRecord),
  serviceTokens: z.array(serviceTokenRecord),
});

/** API keys that a tenant may have at once, and of one key its scopes. */
export const MAX_API_KEYS = 100;
export const MAX_KEY_SCOPES = 50;

/** API key of a tenant as nodes hold it: never the key, only its hash. */
const callerKeyRecord = z.strictObject({
  publicId: z.string().regex(/^[0-9A-Za-z]{12}$/),
  /** The newest first; after a rotation the one before it, until `untilMs`. */
  secrets: z
    .array(z.strictObject({ hash: tokenHash, pepper: pepperVersion, untilMs: z.int().optional() }))
    .min(1)
    .max(2),
  /** APIs or operations the key is valid for, `api` or `api/operation`; absent: all. */
  scopes: z.array(keyScopeSchema).min(1).max(MAX_KEY_SCOPES).optional(),
  /** Default: never. */
  expiresAtMs: z.int().optional(),
});

/** Different thresholds that a tenant may have set, and settings that name them. */
export const MAX_ALERT_PERCENTS = 8;
export const MAX_ALERT_SETTINGS = 50;

/** Alert thresholds of a tenant, replacing 80 and 100 percent. */
const alertRecord = z.strictObject({
  /** Default: all APIs. */
  api: apiKeySchema.optional(),
  /** Default: all limits of the API. */
  limit: limitNameSchema.optional(),
  percents: z.array(z.int().min(1).max(100)).min(1).max(MAX_ALERT_PERCENTS),
});

const timeZoneSchema = z.string().max(64);
const billingAnchorDaySchema = z.int().min(1).max(31);

/** Indexes in a tenant's `adjustments`; absent: none. */
const adjustedSchema = z
  .array(
    z
      .int()
      .min(0)
      .max(MAX_ADJUSTMENTS - 1),
  )
  .max(MAX_ADJUSTMENTS)
  .optional();

/** One tenant, loaded on first use and dropped when it changes. */
export const tenantRecordSchema = z.strictObject({
  kind: z.literal('tenant'),
  revision,
  tenant: tenantKeySchema,
  status: z.enum(['active', 'suspended']),
  tier: tierKeySchema,
  /** Null: the tier's current version. */
  pinnedVersion: z.int().min(1).nullable(),
  /**
   * Incremented by each change of tier, version, calendar or adjustments, so that counters record the state they were
   * written under; absent: 0.
   */
  generation: z.int().min(0).optional(),
  /**
   * Previous states of the tenant, oldest first: each ended at `atMs`, and its counters were carried over by that
   * rule.
   */
  moves: z
    .array(
      z.strictObject({
        tier: tierKeySchema,
        version: z.int().min(1),
        generation: z.int().min(0),
        carryOver: carryOverSchema,
        atMs: z.int(),
        /** Calendar of its quotas until then; absent: UTC, day 1. */
        timeZone: timeZoneSchema.optional(),
        billingAnchorDay: billingAnchorDaySchema.optional(),
        /** Adjustments that applied until then. */
        adjusted: adjustedSchema,
      }),
    )
    .max(4)
    .optional(),
  /** Current, recent and upcoming adjustments; `adjusted` refers to them by index. */
  adjustments: z.array(adjustmentSchema).max(MAX_ADJUSTMENTS).optional(),
  /** Adjustments that apply under `generation`. */
  adjusted: adjustedSchema,
  /**
   * Upcoming changes, soonest first: effective from `atMs` under `generation`, with counters carried over by that
   * rule. Nodes apply them without further messages.
   */
  next: z
    .array(
      z.strictObject({
        atMs: z.int(),
        generation: z.int().min(0),
        carryOver: carryOverSchema,
        adjusted: adjustedSchema,
      }),
    )
    .max(2 * MAX_ADJUSTMENTS)
    .optional(),
  /** IANA name; default UTC. */
  timeZone: timeZoneSchema.optional(),
  /** First day of billing periods, the last day in shorter months; default 1. */
  billingAnchorDay: billingAnchorDaySchema.optional(),
  /** Absent: none. */
  keys: z.array(callerKeyRecord).max(MAX_API_KEYS).optional(),
  /** Absent: no own thresholds. */
  alerts: z.array(alertRecord).max(MAX_ALERT_SETTINGS).optional(),
});

/** Published on every change. A node that misses it notices when it reads the head. */
export const announcementSchema = z.strictObject({
  revision,
  /** The previous revision, 0 for none: a node on another revision has missed a message and reloads everything. */
  previous: z.int().min(0),
  catalogueChanged: z.boolean(),
  /** Tenants whose records changed; null: too many to list, drop all of them. */
  tenants: z.array(tenantKeySchema).nullable(),
});

/** The newest revision and the hash of the catalogue that it carries. */
export const headSchema = z.strictObject({
  revision,
  /** Revision at which the catalogue last changed. */
  catalogueRevision: revision,
  /** SHA-256 of the catalogue's JSON text, hex. */
  catalogueHash: z.string().regex(/^[0-9a-f]{64}$/),
  publishedAtMs: z.int(),
});

/**
 * Confirmation by the control plane that `revision` was the newest at that time; nodes derive the age of their policy
 * from it.
 */
export const confirmationSchema = z.strictObject({
  revision,
  atMs: z.int(),
});

/** Status report of a node, refreshed every few seconds and on each revision change. */
export const nodeReportSchema = z.strictObject({
  nodeId: z.string().max(64),
  /** Unique per process start. */
  epoch: z.string().max(32),
  version: z.string().max(32),
  startedAtMs: z.int(),
  seenAtMs: z.int(),
  /** Active revision; 0: none yet. */
  revision: z.int().min(0),
  /** Between the relay's publication and this node's enforcing it; null when it started with that revision. */
  applyLatencyMs: z.number().nullable(),
  /** Why the newest revision was rejected; null when it is active. */
  nack: z.strictObject({ revision, reason: z.string() }).nullable(),
  degraded: z.boolean(),
  /**
   * Ms since the control plane confirmed the active policy as the newest; null before the first policy; absent: not
   * reported.
   */
  policyAgeMs: z.int().min(0).nullable().optional(),
  /** The policy is older than the node allows: its `onStale` applies. Default: false. */
  policyStale: z.boolean().optional(),
});

export type Priority = z.infer<typeof prioritySchema>;
export type PoolRecord = z.infer<typeof poolSchema>;
export type ApiRecord = z.infer<typeof apiRecord>;
export type TierRecord = z.infer<typeof tierRecord>;
export type TierVersionRecord = z.infer<typeof tierVersionRecord>;
export type CallerKeyRecord = z.infer<typeof callerKeyRecord>;
export type AlertRecord = z.infer<typeof alertRecord>;
export type ServiceTokenRecord = z.infer<typeof serviceTokenRecord>;
export type Catalogue = z.infer<typeof catalogueSchema>;
export type TenantRecord = z.infer<typeof tenantRecordSchema>;
export type Announcement = z.infer<typeof announcementSchema>;
export type Head = z.infer<typeof headSchema>;
export type Confirmation = z.infer<typeof confirmationSchema>;
export type NodeReport = z.infer<typeof nodeReportSchema>;
