import { Injectable } from '@nestjs/common';
import type { Prisma, ServiceToken } from '@tollgate/database';
import { newId } from '../../../platform/ids.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';

export type ServiceTokenRow = ServiceToken;

/** Service tokens belong to no tenant. */
@Injectable()
export class ServiceTokensRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(): Promise<ServiceTokenRow[]> {
    return this.database.client.serviceToken.findMany({ orderBy: { id: 'desc' } });
  }

  findByPublicId(publicId: string): Promise<ServiceTokenRow | null> {
    return this.database.client.serviceToken.findUnique({ where: { publicId } });
  }

  findById(id: string): Promise<ServiceTokenRow | null> {
    return this.database.client.serviceToken.findUnique({ where: { id } });
  }

  create(tx: Tx, data: Omit<Prisma.ServiceTokenCreateInput, 'id'>): Promise<ServiceTokenRow> {
    return tx.serviceToken.create({ data: { id: newId('serviceToken'), ...data } });
  }

  async lockById(tx: Tx, id: string): Promise<ServiceTokenRow | null> {
    await tx.$queryRaw`SELECT 1 FROM "service_token" WHERE "id" = ${id} FOR UPDATE`;
    return tx.serviceToken.findUnique({ where: { id } });
  }

  /** The old token expires at `expiresAt` at the latest. */
  replace(tx: Tx, id: string, replacedById: string, expiresAt: Date): Promise<ServiceTokenRow> {
    return tx.serviceToken.update({ where: { id }, data: { replacedById, expiresAt } });
  }

  /** Skipped if a use since `before` is recorded. */
  async touch(id: string, now: Date, before: Date): Promise<void> {
    await this.database.client.serviceToken.updateMany({
      where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: before } }] },
      data: { lastUsedAt: now },
    });
  }

  async listTenantKeys(tx: Tx, keys: readonly string[]): Promise<Set<string>> {
    const rows = await tx.tenant.findMany({ where: { key: { in: [...keys] } }, select: { key: true } });
    return new Set(rows.map(({ key }) => key));
  }

  revoke(tx: Tx, id: string, revokedAt: Date): Promise<ServiceTokenRow> {
    return tx.serviceToken.update({ where: { id }, data: { revokedAt } });
  }
}
