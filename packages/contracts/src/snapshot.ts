import * as z from 'zod';
import { limitPolicySchema } from './limit-policy.js';
import { apiKeySchema, operationNameSchema, tenantKeySchema, tierKeySchema } from './names.js';

/** What nodes run. Both kinds of record are JSON in Redis, written by the relay, read and checked by every node. */

const revision = z.int().min(1);

const apiRecord = z.strictObject({
  key: apiKeySchema,
  /** What a request for an operation that nobody configured gets. */
  unknownOperations: z.enum(['allow', 'refuse']),
  operations: z.array(z.strictObject({ name: operationNameSchema, cost: z.int().min(1) })),
});

const tierVersionRecord = z.strictObject({
  number: z.int().min(1),
  limits: z.array(limitPolicySchema),
});

const tierRecord = z.strictObject({
  key: tierKeySchema,
  currentVersion: z.int().min(1),
  /** The current version and every older one that a subscription is pinned to. */
  versions: z.array(tierVersionRecord).min(1),
});

/** A service token as nodes hold it: never the token, only what verifies it. */
const serviceTokenRecord = z.strictObject({
  publicId: z.string(),
  /** HMAC-SHA256 under the pepper, hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
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

/** One tenant, loaded by a node when it is first asked about and dropped when it changes. */
export const tenantRecordSchema = z.strictObject({
  kind: z.literal('tenant'),
  revision,
  tenant: tenantKeySchema,
  status: z.enum(['active', 'suspended']),
  tier: tierKeySchema,
  /** Null: the tier's current version. */
  pinnedVersion: z.int().min(1).nullable(),
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
});

export type ApiRecord = z.infer<typeof apiRecord>;
export type TierRecord = z.infer<typeof tierRecord>;
export type TierVersionRecord = z.infer<typeof tierVersionRecord>;
export type ServiceTokenRecord = z.infer<typeof serviceTokenRecord>;
export type Catalogue = z.infer<typeof catalogueSchema>;
export type TenantRecord = z.infer<typeof tenantRecordSchema>;
export type Announcement = z.infer<typeof announcementSchema>;
export type Head = z.infer<typeof headSchema>;
export type NodeReport = z.infer<typeof nodeReportSchema>;
