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

/** In which styles an API's limits are told in headers; none: an empty list. */
export const headerStylesSchema = z
  .array(z.enum(HEADER_STYLES))
  .max(HEADER_STYLES.length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice');

/** What nodes run. Both kinds of record are JSON in Redis, written by the relay, read and checked by every node. */

const revision = z.int().min(1);

/** Who is pushed back first when a pool is short: background, then normal, critical last. */
export const prioritySchema = z.enum(['critical', 'normal', 'background']);

/** Capacity that an API's tenants share. */
export const poolSchema = z.strictObject({
  name: poolNameSchema,
  /** Operations that draw on it; empty: every one of the API. An operation draws on the first pool that has it. */
  operations: z.array(operationNameSchema).max(100),
  /** Units a second, measured over a sliding second. */
  capacity: z.int().min(1).max(1_000_000_000),
  /** What is left below this part of the capacity, percent, is spare and may be borrowed. */
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
      /** Left out: normal. */
      priority: prioritySchema.optional(),
    }),
  ),
  /** Left out: none. */
  pools: z.array(poolSchema).max(16).optional(),
  /** How its limits are told in headers; left out: `DEFAULT_HEADER_STYLES`. */
  headerStyles: headerStylesSchema.optional(),
});

const tierVersionRecord = z.strictObject({
  number: z.int().min(1),
  limits: z.array(limitPolicySchema),
  /** Places of the limits that are defaults of their API, not the tier's own; left out: none. */
  defaults: z.array(z.int().min(0)).min(1).optional(),
  /** The version that this one took the place of, for tenants that follow the tier; left out: none, or long ago. */
  replaces: z.strictObject({ number: z.int().min(1), carryOver: carryOverSchema, atMs: z.int() }).optional(),
});

const tierRecord = z.strictObject({
  key: tierKeySchema,
  currentVersion: z.int().min(1),
  /** Share of spare capacity among borrowers; left out: 1. */
  weight: z.int().min(1).max(1000).optional(),
  /** The current version, every older one that a subscription is pinned to, and those that they lately replaced. */
  versions: z.array(tierVersionRecord).min(1),
});

/** HMAC-SHA256 under a pepper, hex. */
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/);

/** Version of the pepper that a hash was made under; left out: 1. */
const pepperVersion = z.int().min(1).optional();

/** A service token as nodes hold it: never the token, only what verifies it. */
const serviceTokenRecord = z.strictObject({
  publicId: z.string(),
  hash: tokenHash,
  pepper: pepperVersion,
  scopes: z.array(z.string()),
  expiresAtMs: z.int().nullable(),
});

/** Everything that every node holds whole: APIs, tiers, service tokens. */
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

/** What callers of a tenant may send in place of its name, as nodes hold it: never the key, only what verifies it. */
const callerKeyRecord = z.strictObject({
  publicId: z.string().regex(/^[0-9A-Za-z]{12}$/),
  /** The newest first; after a rotation the one before it, until `untilMs`. */
  secrets: z
    .array(z.strictObject({ hash: tokenHash, pepper: pepperVersion, untilMs: z.int().optional() }))
    .min(1)
    .max(2),
  /** What may be called with it, `api` or `api/operation`; left out: everything. */
  scopes: z.array(keyScopeSchema).min(1).max(MAX_KEY_SCOPES).optional(),
  /** Left out: never. */
  expiresAtMs: z.int().optional(),
});

/** Different thresholds that a tenant may have set, and settings that name them. */
export const MAX_ALERT_PERCENTS = 8;
export const MAX_ALERT_SETTINGS = 50;

/** Which parts of its limits a tenant wants to hear of, in place of 80 and 100 percent. */
const alertRecord = z.strictObject({
  /** Left out: all APIs. */
  api: apiKeySchema.optional(),
  /** Left out: all limits of the API. */
  limit: limitNameSchema.optional(),
  percents: z.array(z.int().min(1).max(100)).min(1).max(MAX_ALERT_PERCENTS),
});

const timeZoneSchema = z.string().max(64);
const billingAnchorDaySchema = z.int().min(1).max(31);

/** Places in a tenant's `adjustments`; left out: none. */
const adjustedSchema = z
  .array(
    z
      .int()
      .min(0)
      .max(MAX_ADJUSTMENTS - 1),
  )
  .max(MAX_ADJUSTMENTS)
  .optional();

/** One tenant, loaded by a node when it is first asked about and dropped when it changes. */
export const tenantRecordSchema = z.strictObject({
  kind: z.literal('tenant'),
  revision,
  tenant: tenantKeySchema,
  status: z.enum(['active', 'suspended']),
  tier: tierKeySchema,
  /** Null: the tier's current version. */
  pinnedVersion: z.int().min(1).nullable(),
  /**
   * Raised by each move to another tier, version or calendar and each change of the adjustments, so that counters know
   * under which they were written; left out: 0.
   */
  generation: z.int().min(0).optional(),
  /** What the tenant was on lately, oldest first: left at `atMs`, its counters carried over by that rule. */
  moves: z
    .array(
      z.strictObject({
        tier: tierKeySchema,
        version: z.int().min(1),
        generation: z.int().min(0),
        carryOver: carryOverSchema,
        atMs: z.int(),
        /** The calendar that its quotas went by until then; left out: UTC, day 1. */
        timeZone: timeZoneSchema.optional(),
        billingAnchorDay: billingAnchorDaySchema.optional(),
        /** What changed its limits until then. */
        adjusted: adjustedSchema,
      }),
    )
    .max(4)
    .optional(),
  /** What changes its limits now, lately or soon; which of them do at what time is said by place. */
  adjustments: z.array(adjustmentSchema).max(MAX_ADJUSTMENTS).optional(),
  /** What changes its limits under `generation`. */
  adjusted: adjustedSchema,
  /**
   * What changes its limits later, soonest first: from `atMs` on under `generation`, counters carried over by that rule. A
   * node needs nobody to tell it that the time has come.
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
  /** IANA name; left out: UTC. */
  timeZone: timeZoneSchema.optional(),
  /** Day of the month on which billing periods begin, the last day in shorter months; left out: 1. */
  billingAnchorDay: billingAnchorDaySchema.optional(),
  /** Left out: none. */
  keys: z.array(callerKeyRecord).max(MAX_API_KEYS).optional(),
  /** Left out: none of its own. */
  alerts: z.array(alertRecord).max(MAX_ALERT_SETTINGS).optional(),
});

/** Published on every change; a node that misses it finds out by reading the head. */
export const announcementSchema = z.strictObject({
  revision,
  /** The revision before this one, 0 for none: a node that runs another one has missed a message and reads all anew. */
  previous: z.int().min(0),
  catalogueChanged: z.boolean(),
  /** Tenants whose records changed; null: too many to name, drop all of them. */
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

/** The control plane has looked, and `revision` was the newest at that time: what tells a node how old its policy may be. */
export const confirmationSchema = z.strictObject({
  revision,
  atMs: z.int(),
});

/** What a node says about itself, refreshed every few seconds and at each change of revision. */
export const nodeReportSchema = z.strictObject({
  nodeId: z.string().max(64),
  /** Started anew at each process start. */
  epoch: z.string().max(32),
  version: z.string().max(32),
  startedAtMs: z.int(),
  seenAtMs: z.int(),
  /** Revision in force; 0: none yet. */
  revision: z.int().min(0),
  /** Between the relay's publication and this node's enforcing it; null when it started with that revision. */
  applyLatencyMs: z.number().nullable(),
  /** Why the newest revision was refused; null when it is in force. */
  nack: z.strictObject({ revision, reason: z.string() }).nullable(),
  degraded: z.boolean(),
  /** Since the control plane last said that the policy in force is the newest; null before the first policy; left out: not told. */
  policyAgeMs: z.int().min(0).nullable().optional(),
  /** The policy is older than the node allows: its `onStale` applies. Left out: no. */
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
