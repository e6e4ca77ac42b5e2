import type { Announcement, Catalogue, Head, TenantRecord } from '@tollgate/contracts';
import { serializeCatalogue } from '@tollgate/decision-plane/operate';
import type { PolicySigner } from '@tollgate/policy';
import type { Redis } from 'ioredis';

/** The content of Redis for one revision, in parts, so that any of it can be altered. */
export interface PolicyPieces {
  revision: number;
  head: string;
  catalogue: string;
  tenants: Record<string, string>;
  announcement: string;
}

export const API = 'shop';
export const OPERATION = 'buy';

/** A catalogue with one tier whose only limit, in its current version, is `limit` an hour. */
export function catalogueOf(revision: number, limit: number): Catalogue {
  const perHour = {
    name: 'per-hour',
    api: API,
    operations: [],
    per: [],
    onUnavailable: 'share' as const,
    algorithm: 'fixed_window' as const,
    limit,
    windowMs: 3_600_000,
    alignment: 'first_request' as const,
  };
  return {
    kind: 'catalogue',
    revision,
    apis: [{ key: API, unknownOperations: 'allow', operations: [{ name: OPERATION, cost: 1 }] }],
    tiers: [{ key: 'free', currentVersion: 1, versions: [{ number: 1, limits: [perHour] }] }],
    serviceTokens: [],
  };
}

export function tenantOf(tenant: string, revision: number): TenantRecord {
  return { kind: 'tenant', revision, tenant, status: 'active', tier: 'free', pinnedVersion: null };
}

/** Seals a catalogue and tenants as the relay does. */
export function seal(
  signer: PolicySigner,
  catalogue: Catalogue,
  tenants: readonly TenantRecord[],
  revision: number,
): PolicyPieces {
  const { text, hash } = serializeCatalogue(catalogue);
  const head: Head = {
    revision,
    catalogueRevision: catalogue.revision,
    catalogueHash: hash,
    publishedAtMs: Date.now(),
  };
  const announcement: Announcement = {
    revision,
    previous: revision - 1,
    catalogueChanged: true,
    tenants: tenants.map(({ tenant }) => tenant),
  };
  return {
    revision,
    head: signer.seal('head', JSON.stringify(head)),
    catalogue: text,
    tenants: Object.fromEntries(
      tenants.map((record) => [record.tenant, signer.seal('tenant', JSON.stringify(record))]),
    ),
    announcement: signer.seal('announcement', JSON.stringify(announcement)),
  };
}

/** Writes the parts to Redis and announces them. */
export async function write(
  redis: Redis,
  { head, catalogue, tenants, announcement }: PolicyPieces,
): Promise<void> {
  const transaction = redis.multi();
  for (const [tenant, record] of Object.entries(tenants))
    transaction.set(`tg:policy:tenant:${tenant}`, record);
  await transaction
    .set('tg:policy:catalogue', catalogue)
    .set('tg:policy:head', head)
    .publish('tg:policy:announcements', announcement)
    .exec();
}
