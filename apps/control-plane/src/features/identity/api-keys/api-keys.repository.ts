import { Injectable } from '@nestjs/common';
import type { KeyUse } from '@tollgate/contracts';
import type { ApiKey, ApiKeySecret, Prisma, Tenant } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

/** Secrets are ordered newest first. */
export type ApiKeyRow = ApiKey & { secrets: ApiKeySecret[] };

export type ExpiringKey = Pick<ApiKey, 'id' | 'publicId' | 'name' | 'createdAt'> & {
  expiresAt: Date;
  tenant: Pick<Tenant, 'id' | 'key'>;
};

export type NewSecret = Pick<ApiKeySecret, 'hash' | 'pepperVersion' | 'lastFour'>;

const WITH_SECRETS = { secrets: { orderBy: { id: 'desc' } } } satisfies Prisma.ApiKeyInclude;

@Injectable()
export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  /** Newest first, with one row more than the page size if there is a next page. */
  list(tenantId: string, page: Page<string>): Promise<ApiKeyRow[]> {
    return this.database.client.apiKey.findMany({
      where: { tenantId, ...(page.after === undefined ? {} : { id: { lt: page.after } }) },
      include: WITH_SECRETS,
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(tenantId: string): Promise<number> {
    return this.database.client.apiKey.count({ where: { tenantId } });
  }

  async findTenant(publicId: string): Promise<Tenant | null> {
    const key = await this.database.client.apiKey.findUnique({
      where: { publicId },
      select: { tenant: true },
    });
    return key?.tenant ?? null;
  }

  findById(id: string): Promise<(ApiKeyRow & { tenant: { key: string } }) | null> {
    return this.database.client.apiKey.findUnique({
      where: { id },
      include: { ...WITH_SECRETS, tenant: { select: { key: true } } },
    });
  }

  countLive(tx: Tx, tenantId: string, now: Date): Promise<number> {
    const expiry = [{ expiresAt: null }, { expiresAt: { gt: now } }];
    return tx.apiKey.count({ where: { tenantId, revokedAt: null, OR: expiry } });
  }

  /** Active keys of active tenants that expire between `now` and `until`, by id after `after`. */
  async listExpiring(now: Date, until: Date, after: string, limit: number): Promise<ExpiringKey[]> {
    const rows = await this.database.client.apiKey.findMany({
      where: {
        id: { gt: after },
        revokedAt: null,
        expiresAt: { gt: now, lte: until },
        tenant: { status: { not: 'ARCHIVED' } },
      },
      include: { tenant: { select: { id: true, key: true } } },
      orderBy: { id: 'asc' },
      take: limit,
    });
    return rows.flatMap(({ expiresAt, ...key }) => (expiresAt === null ? [] : [{ ...key, expiresAt }]));
  }

  async listNotified(dedupeKeys: string[]): Promise<Set<string | null>> {
    const rows = await this.database.client.notice.findMany({
      where: { dedupeKey: { in: dedupeKeys } },
      select: { dedupeKey: true },
    });
    return new Set(rows.map(({ dedupeKey }) => dedupeKey));
  }

  async listApiKeys(tx: Tx, keys: string[]): Promise<Set<string>> {
    const rows = await tx.api.findMany({ where: { key: { in: keys } }, select: { key: true } });
    return new Set(rows.map(({ key }) => key));
  }

  create(
    tx: Tx,
    tenantId: string,
    data: Pick<ApiKey, 'publicId' | 'mode' | 'name' | 'scopes' | 'expiresAt' | 'createdBy'>,
    secret: NewSecret,
  ): Promise<ApiKeyRow> {
    // Its tenant follows from the composite reference to the key.
    const secrets = { create: { id: newId('apiKeySecret'), ...secret } };
    return tx.apiKey.create({
      data: { id: newId('apiKey'), ...data, tenant: { connect: { id: tenantId } }, secrets },
      include: WITH_SECRETS,
    });
  }

  /** Callers lock the tenant. */
  findOf(tx: Tx, tenantId: string, id: string): Promise<ApiKeyRow | null> {
    return tx.apiKey.findFirst({ where: { id, tenantId }, include: WITH_SECRETS });
  }

  /** Existing secrets expire at `endsAt` at the latest. */
  async rotate(tx: Tx, tenantId: string, id: string, secret: NewSecret, endsAt: Date): Promise<ApiKeyRow> {
    await tx.apiKeySecret.updateMany({
      where: { tenantId, apiKeyId: id, OR: [{ endsAt: null }, { endsAt: { gt: endsAt } }] },
      data: { endsAt },
    });
    await tx.apiKeySecret.create({
      data: { id: newId('apiKeySecret'), tenantId, apiKeyId: id, ...secret },
    });
    return tx.apiKey.findUniqueOrThrow({ where: { id }, include: WITH_SECRETS });
  }

  async revoke(tx: Tx, tenantId: string, id: string, revokedAt: Date): Promise<ApiKeyRow> {
    await tx.apiKey.updateMany({ where: { id, tenantId, revokedAt: null }, data: { revokedAt } });
    return tx.apiKey.findUniqueOrThrow({ where: { id }, include: WITH_SECRETS });
  }

  /** Ignores times before the recorded ones. */
  async recordUses(tx: Tx, uses: readonly KeyUse[]): Promise<void> {
    if (uses.length === 0) return;
    const ids = uses.map(({ publicId }) => publicId);
    const times = uses.map(({ atMs }) => new Date(atMs));
    await tx.$executeRaw`
      UPDATE "api_key" SET "last_used_at" = "used"."at"
      FROM (SELECT "public_id", max("at") AS "at"
        FROM unnest(${ids}::text[], ${times}::timestamptz[]) AS "one" ("public_id", "at") GROUP BY "public_id") AS "used"
      WHERE "api_key"."public_id" = "used"."public_id"
        AND ("api_key"."last_used_at" IS NULL OR "api_key"."last_used_at" < "used"."at")`;
  }
}
