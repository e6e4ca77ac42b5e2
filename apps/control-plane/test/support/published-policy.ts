import {
  type Catalogue,
  catalogueSchema,
  type Head,
  headSchema,
  type TenantRecord,
  tenantRecordSchema,
} from '@tollgate/contracts';
import type { PrismaClient } from '@tollgate/database';
import { eventually } from '@tollgate/test-kit';
import type { Redis } from 'ioredis';

/** The policy that nodes would read. Rejects policy that nodes would reject. */
export async function readPolicy(redis: Redis): Promise<{ head: Head; catalogue: Catalogue }> {
  const [head, catalogue] = await redis.mget('tg:policy:head', 'tg:policy:catalogue');
  return {
    head: headSchema.parse(JSON.parse(head ?? 'null')),
    catalogue: catalogueSchema.parse(JSON.parse(catalogue ?? 'null')),
  };
}

export async function readTenant(redis: Redis, tenant: string): Promise<TenantRecord> {
  return tenantRecordSchema.parse(JSON.parse((await redis.get(`tg:policy:tenant:${tenant}`)) ?? 'null'));
}

/** Until all changes have a revision. Nodes can use it earlier: the relay writes Redis before it commits. */
export async function policyPublished(database: PrismaClient): Promise<void> {
  await eventually(async () => (await database.outboxEvent.count({ where: { revision: null } })) === 0);
}
