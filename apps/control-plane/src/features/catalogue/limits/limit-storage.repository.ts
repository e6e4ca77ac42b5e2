import { Injectable } from '@nestjs/common';
import type { LimitPolicy, LimitStorage } from '@tollgate/contracts';
import { Database, type Tx } from '../../../platform/prisma/database.js';

interface NamedLimit {
  apiId: string;
  policy: LimitPolicy;
}

/** The storage that a name has for good. */
export interface KnownStorage {
  apiKey: string;
  name: string;
  storage: LimitStorage;
  /** Null unless packed. */
  expectedSubjects: number | null;
  /** Tier and version; null for a default limit. */
  tierKey: string | null;
  version: number | null;
}

/** Storages of limits that were ever published, and of default limits. */
@Injectable()
export class LimitStorageRepository {
  constructor(private readonly database: Database) {}

  /** The known storages of these names: one of a published version, and one of a default limit. */
  list(limits: readonly NamedLimit[], tx: Tx = this.database.client): Promise<KnownStorage[]> {
    const apiIds = limits.map(({ apiId }) => apiId);
    const names = limits.map(({ policy }) => policy.name);
    return tx.$queryRaw<KnownStorage[]>`
      SELECT a."key" AS "apiKey", n."name", coalesce(known."terms" ->> 'storage', 'key') AS "storage",
        (known."terms" -> 'expectedSubjects')::int AS "expectedSubjects", known."tierKey", known."version"
      FROM unnest(${apiIds}::text[], ${names}::text[]) AS n("apiId", "name")
        JOIN "api" AS a ON a."id" = n."apiId"
        CROSS JOIN LATERAL (
          (SELECT l."terms", t."key" AS "tierKey", v."number" AS "version"
            FROM "limit" AS l JOIN "tier_version" AS v ON v."id" = l."tier_version_id" JOIN "tier" AS t ON t."id" = v."tier_id"
            WHERE l."api_id" = n."apiId" AND l."name" = n."name" AND v."status" <> 'DRAFT'
            LIMIT 1)
          UNION ALL
          SELECT d."terms", NULL, NULL FROM "default_limit" AS d WHERE d."api_id" = n."apiId" AND d."name" = n."name"
        ) AS known`;
  }

  /**
   * Like {@link list}. Names that were never published are locked until the transaction ends, so that concurrent
   * publications of a new name wait for each other; the storage of the others never changes.
   */
  async listForPublication(tx: Tx, limits: readonly NamedLimit[]): Promise<KnownStorage[]> {
    const known = await this.list(limits, tx);
    const published = new Set(known.flatMap((one) => (one.version === null ? [] : [keyOf(one)])));
    const locks = limits
      .map(({ policy }) => keyOf({ apiKey: policy.api, name: policy.name }))
      .filter((key) => !published.has(key))
      .map((key) => `limit ${key}`)
      .sort();
    if (locks.length === 0) return known;
    await tx.$executeRaw`
      SELECT pg_advisory_xact_lock(hashtextextended("key", 0)) FROM unnest(${locks}::text[]) AS names("key")`;
    return this.list(limits, tx);
  }
}

const keyOf = ({ apiKey, name }: Pick<KnownStorage, 'apiKey' | 'name'>): string => `${apiKey}/${name}`;
