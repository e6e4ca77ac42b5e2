import * as z from 'zod';
import { adjustmentSchema, MAX_ADJUSTMENTS } from './adjustments.js';
import { MAX_COST } from './countable.js';
import { HEADER_STYLES } from './headers.js';
import { carryOverSchema, limitPolicySchema } from './limit-policy.js';
import { floorSchema, MAX_FLOORS } from './limit-sharing.js';
import { poolWarmUpSchema } from './limit-warm-up.js';
import {
  apiKeySchema,
  keyScopeSchema,
  limitNameSchema,
  operationNameSchema,
  poolNameSchema,
  tenantKeySchema,
  tierKeySchema,
} from './names.js';
import { MAX_SUBJECT_RULES, platformRuleSchema, subjectRuleSchema } from './subject-rules.js';

export const headerStylesSchema = z
  .array(z.enum(HEADER_STYLES))
  .max(HEADER_STYLES.length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice');

/** Policy records in Redis, written by the relay and validated by every node. */

const revision = z.int().min(1);

/** Order of denials when a pool is short of capacity: background, normal, critical. */
export const prioritySchema = z.enum(['critical', 'normal', 'background']);

export const poolSchema = z.strictObject({
  name: poolNameSchema,
  /** Empty: every operation. An operation draws on the first pool that includes it. */
  operations: z.array(operationNameSchema).max(100),
  /** Units per second, over a sliding second. */
  capacity: z.int().min(1).max(1_000_000_000),
  /** Capacity below this percentage can be borrowed. */
  reclaimPercent: z.int().min(1).max(100),
  /** Default: the whole capacity from the start. */
  warmUp: poolWarmUpSchema.optional(),
});

const apiRecord = z.strictObject({
  key: apiKeySchema,
  /** Unregistered operations: count for limits on all, are not limited, or are denied (`BLOCKED`). */
  unknownOperations: z.enum(['count', 'allow', 'refuse']),
  operations: z.array(
    z.strictObject({
      name: operationNameSchema,
      cost: z.int().min(1).max(MAX_COST),
      /** Default: normal. */
      priority: prioritySchema.optional(),
    }),
  ),
  pools: z.array(poolSchema).max(16).optional(),
  headerStyles: headerStylesSchema.optional(),
});

const tierVersionRecord = z.strictObject({
  number: z.int().min(1),
  limits: z.array(limitPolicySchema),
  /** Indexes of limits that are defaults of their API; default: none. */
  defaults: z.array(z.int().min(0)).min(1).optional(),
  /** Recently replaced version, for tenants that follow the tier. */
  replaces: z.strictObject({ number: z.int().min(1), carryOver: carryOverSchema, atMs: z.int() }).optional(),
});

const tierRecord = z.strictObject({
  key: tierKeySchema,
  currentVersion: z.int().min(1),
  /** Share of spare capacity among borrowers; default 1. */
  weight: z.int().min(1).max(1000).optional(),
  /** The current version, pinned ones, and those recently replaced. */
  versions: z.array(tierVersionRecord).min(1),
});

/** HMAC-SHA256, hex. */
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/);

/** Default 1. */
const pepperVersion = z.int().min(1).optional();

/** The hash, never the token. */
const serviceTokenRecord = z.strictObject({
  publicId: z.string(),
  hash: tokenHash,
  pepper: pepperVersion,
  scopes: z.array(z.string()),
  expiresAtMs: z.int().nullable(),
});

/** Held completely by every node. */
export const catalogueSchema = z.strictObject({
  kind: z.literal('catalogue'),
  revision,
  apis: z.array(apiRecord),
  tiers: z.array(tierRecord),
  serviceTokens: z.array(serviceTokenRecord),
  /** For the subjects of all tenants; of rules with the same pattern, a later one precedes. */
  subjectRules: z.array(platformRuleSchema).min(1).max(MAX_SUBJECT_RULES).optional(),
});

export const MAX_API_KEYS = 100;
export const MAX_KEY_SCOPES = 50;

/** The hash, never the key. */
const callerKeyRecord = z.strictObject({
  publicId: z.string().regex(/^[0-9A-Za-z]{12}$/),
  /** Newest first; a rotated secret is valid until `untilMs`. */
  secrets: z
    .array(z.strictObject({ hash: tokenHash, pepper: pepperVersion, untilMs: z.int().optional() }))
    .min(1)
    .max(2),
  /** `api` or `api/operation`; default: all. */
  scopes: z.array(keyScopeSchema).min(1).max(MAX_KEY_SCOPES).optional(),
  expiresAtMs: z.int().optional(),
});

export const MAX_ALERT_PERCENTS = 8;
export const MAX_ALERT_SETTINGS = 50;

/** Replaces the thresholds 80 and 100 percent. */
const alertRecord = z.strictObject({
  api: apiKeySchema.optional(),
  limit: limitNameSchema.optional(),
  percents: z.array(z.int().min(1).max(100)).min(1).max(MAX_ALERT_PERCENTS),
});

const timeZoneSchema = z.string().max(64);
const billingAnchorDaySchema = z.int().min(1).max(31);

/** Indexes in a tenant's `adjustments`. */
const adjustedSchema = z
  .array(
    z
      .int()
      .min(0)
      .max(MAX_ADJUSTMENTS - 1),
  )
  .max(MAX_ADJUSTMENTS)
  .optional();

/** Loaded on first use, dropped when it changes. */
export const tenantRecordSchema = z.strictObject({
  kind: z.literal('tenant'),
  revision,
  tenant: tenantKeySchema,
  /** The tenant whose limits with `sharedWithChildren` it counts on too; never changes. */
  parent: tenantKeySchema.optional(),
  /** Parts of its shared limits, each for one child. */
  floors: z.array(floorSchema).min(1).max(MAX_FLOORS).optional(),
  status: z.enum(['active', 'suspended']),
  tier: tierKeySchema,
  /** Null: the tier's current version. */
  pinnedVersion: z.int().min(1).nullable(),
  /** Incremented by each change of tier, version, calendar or adjustments; counters record it. Default 0. */
  generation: z.int().min(0).optional(),
  /** Previous states, oldest first: each ended at `atMs`, and its counters were carried over by that rule. */
  moves: z
    .array(
      z.strictObject({
        tier: tierKeySchema,
        version: z.int().min(1),
        generation: z.int().min(0),
        carryOver: carryOverSchema,
        atMs: z.int(),
        /** Previous calendar; default: UTC, day 1. */
        timeZone: timeZoneSchema.optional(),
        billingAnchorDay: billingAnchorDaySchema.optional(),
        adjusted: adjustedSchema,
      }),
    )
    .max(4)
    .optional(),
  /** Current, recent and upcoming adjustments. */
  adjustments: z.array(adjustmentSchema).max(MAX_ADJUSTMENTS).optional(),
  adjusted: adjustedSchema,
  /** Upcoming changes, soonest first. Nodes apply them without further messages. */
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
  /** First day of billing periods; the last day in shorter months. Default 1. */
  billingAnchorDay: billingAnchorDaySchema.optional(),
  keys: z.array(callerKeyRecord).max(MAX_API_KEYS).optional(),
  alerts: z.array(alertRecord).max(MAX_ALERT_SETTINGS).optional(),
  /** Of rules with the same pattern, a later one precedes. */
  subjectRules: z.array(subjectRuleSchema).min(1).max(MAX_SUBJECT_RULES).optional(),
});

/** Published on every change. A node that misses it notices when it reads the head. */
export const announcementSchema = z.strictObject({
  revision,
  /** 0: none. A node on another revision has missed a message and reloads everything. */
  previous: z.int().min(0),
  catalogueChanged: z.boolean(),
  /** Null: too many to list, drop all. */
  tenants: z.array(tenantKeySchema).nullable(),
});

export const headSchema = z.strictObject({
  revision,
  /** Revision of the last change of the catalogue. */
  catalogueRevision: revision,
  /** SHA-256 of the catalogue's JSON, hex. */
  catalogueHash: z.string().regex(/^[0-9a-f]{64}$/),
  publishedAtMs: z.int(),
});

/** `revision` was the newest at that time; nodes derive the age of their policy from it. */
export const confirmationSchema = z.strictObject({
  revision,
  atMs: z.int(),
});

/** Refreshed every few seconds and on each revision. */
export const nodeReportSchema = z.strictObject({
  nodeId: z.string().max(64),
  /** Unique per process start. */
  epoch: z.string().max(32),
  version: z.string().max(32),
  startedAtMs: z.int(),
  seenAtMs: z.int(),
  /** Active revision; 0: none yet. */
  revision: z.int().min(0),
  /** From publication to enforcement; null when the node started with that revision. */
  applyLatencyMs: z.number().nullable(),
  /** Null: the newest revision is active. */
  nack: z.strictObject({ revision, reason: z.string() }).nullable(),
  degraded: z.boolean(),
  /** Since the control plane confirmed the policy; null before the first policy. */
  policyAgeMs: z.int().min(0).nullable().optional(),
  /** The node's `onStale` applies. */
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
