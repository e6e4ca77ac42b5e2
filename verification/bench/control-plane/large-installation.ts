import { createPrismaClient } from '@tollgate/database';

/** Every fifth tenant has usage, a limit in use and a purchase; every tenth of these was denied a request. */
const ACTIVE = 'i % 5 = 0';

const MAX_FILL_MS = 600_000;

/** The number in the id of a tenant, which all other rows derive from. */
const NUMBERS = `(SELECT "id" AS "tenant_id", "key", substr("id", 5)::int AS i FROM "tenant" WHERE "id" LIKE 'ten_0000%') t`;

/** Statements in order; `$1` is the number of tenants where a statement has it. */
const FILL = [
  `INSERT INTO "tenant" ("id", "key", "name", "status", "tags", "created_at", "updated_at")
   SELECT 'ten_' || lpad(i::text, 32, '0'), lower(first || '-' || second || '-' || i), first || ' ' || second || ' ' || i,
     (CASE WHEN i % 50 = 7 THEN 'SUSPENDED' WHEN i % 100 = 13 THEN 'ARCHIVED' ELSE 'ACTIVE' END)::"TenantStatus",
     ARRAY[(ARRAY['eu', 'us', 'asia'])[1 + i % 3]], now() - i * interval '1 minute', now()
   FROM generate_series(1, $1::int) AS i,
     LATERAL (SELECT (ARRAY['Globex', 'Initech', 'Umbrella', 'Hooli', 'Vandelay', 'Wonka', 'Stark', 'Tyrell'])[1 + i % 8] AS first,
       (ARRAY['Logistics', 'Labs', 'Retail', 'Energy', 'Media', 'Health', 'Bank'])[1 + i % 7] AS second) AS words`,
  `INSERT INTO "subscription" ("id", "tenant_id", "tier_id", "since")
   SELECT 'sub_' || lpad(i::text, 32, '0'), "tenant_id", sold."ids"[1 + i % cardinality(sold."ids")], now()
   FROM ${NUMBERS}, (SELECT array_agg("tier_id" ORDER BY "tier_id") AS "ids" FROM "tier_version" WHERE "status" = 'PUBLISHED') sold`,
  `INSERT INTO "member" ("id", "tenant_id", "email", "name", "role")
   SELECT 'mem_' || lpad(i::text, 32, '0'), "tenant_id", 'owner' || i || '@example.com', 'Owner ' || i, 'OWNER' FROM ${NUMBERS}`,
  `INSERT INTO "api_key" ("id", "tenant_id", "public_id", "mode", "name", "created_by", "last_used_at")
   SELECT 'key_' || lpad(i::text, 32, '0'), "tenant_id", lpad(i::text, 16, '0'), 'LIVE', 'Server', 'bench', now() FROM ${NUMBERS}`,
  `INSERT INTO "api_key_secret" ("id", "tenant_id", "api_key_id", "hash", "pepper_version", "last_four")
   SELECT 'sec_' || lpad(i::text, 32, '0'), "tenant_id", 'key_' || lpad(i::text, 32, '0'), encode(sha256(i::text::bytea), 'hex'), 1, 'abcd'
   FROM ${NUMBERS}`,
  `INSERT INTO "purchase" ("id", "tenant_id", "offer_id", "provider", "quantity", "kind", "label", "amount_minor", "currency",
     "interval", "valid_days", "grace_days", "effects", "carry_over", "status", "renews", "paid_through", "created_at")
   SELECT 'pur_' || lpad(i::text, 32, '0'), "tenant_id", o."id", 'INVOICE', 1, o."kind", o."name", o."price_minor", o."currency",
     o."interval", o."valid_days", o."grace_days", o."effects", o."carry_over", 'ACTIVE', o."interval" IS NOT NULL,
     now() + interval '20 days', now() - i * interval '1 minute'
   FROM ${NUMBERS}, LATERAL (SELECT * FROM "offer" ORDER BY "key" LIMIT 1) o WHERE ${ACTIVE}`,
  `INSERT INTO "usage_series" ("api", "operation", "limit_name", "outcome")
   VALUES ('url-shortener', 'createURL', 'create-hour', 'ALLOWED'), ('url-shortener', 'createURL', 'create-hour', 'DENIED'),
     ('url-shortener', 'getURL', 'get-day', 'ALLOWED') ON CONFLICT DO NOTHING`,
  ...[
    { table: 'usage_hour', unit: 'hour', points: 24, tenants: ACTIVE },
    { table: 'usage_day', unit: 'day', points: 30, tenants: ACTIVE },
    { table: 'usage_minute', unit: 'minute', points: 60, tenants: 'i % 50 = 0' },
  ].map(
    ({ table, unit, points, tenants }) => `
   INSERT INTO "${table}" ("tenant_id", "at", "series_id", "count", "units")
   SELECT "tenant_id", date_trunc('${unit}', now()) - p * interval '1 ${unit}', s."id", 1 + i % 90, 1 + i % 90
   FROM ${NUMBERS}, generate_series(0, ${points - 1}) p, "usage_series" s
   WHERE ${tenants} AND s."api" = 'url-shortener' AND s."limit_name" IN ('create-hour', 'get-day')
     AND (s."outcome" = 'ALLOWED' OR (s."outcome" = 'DENIED' AND i % 50 = 0))`,
  ),
  `INSERT INTO "traffic_minute" ("at", "count", "denied", "degraded", "units", "durations")
   SELECT date_trunc('minute', now()) - p * interval '1 minute', 60000, 900, 0, 60000, array_fill(4615::bigint, ARRAY[13])
   FROM generate_series(0, 1439) p ON CONFLICT DO NOTHING`,
  `INSERT INTO "limit_peak" ("tenant_id", "api", "limit_name", "at", "is_quota", "used", "capacity", "peak_at", "denied")
   SELECT "tenant_id", 'url-shortener', 'create-hour', date_bin('5 minutes', now(), 'epoch') - p * interval '5 minutes', false,
     i % 100, 100, now(), 0
   FROM ${NUMBERS}, generate_series(0, 2) p WHERE ${ACTIVE}`,
  // The job computes tenants with usage again every five minutes, so their turns are spread over that time.
  `UPDATE "tenant_utilization" u SET "computed_at" = now(), "percent" = CASE WHEN ${ACTIVE} THEN i * 37 % 101 ELSE 0 END,
     "requests" = CASE WHEN ${ACTIVE} THEN i * 31 % 90000 ELSE 0 END, "denied" = CASE WHEN i % 50 = 0 THEN i * 7 % 900 ELSE 0 END,
     "exhausts_at" = CASE WHEN i % 20 = 0 THEN now() + i * interval '1 second' ELSE 'infinity' END,
     "requests_by_hour" = CASE WHEN ${ACTIVE} THEN array_fill((i * 31 % 90000 / 25)::bigint, ARRAY[25]) ELSE '{}' END,
     "denied_by_hour" = CASE WHEN ${ACTIVE} THEN array_fill(0::bigint, ARRAY[25]) ELSE '{}' END,
     "limits" = CASE WHEN ${ACTIVE} THEN jsonb_build_array(jsonb_build_object('apiKey', 'url-shortener', 'limitName', 'create-hour',
       'limit', 100, 'windowMs', 3600000, 'period', NULL, 'per', '[]'::jsonb, 'used', i * 37 % 101, 'capacity', 100,
       'percent', i * 37 % 101, 'denied', 0, 'peakAtMs', NULL, 'limitedSinceMs', NULL, 'resetsAtMs', NULL, 'unitsPerHour', NULL,
       'exhaustsAtMs', NULL)) ELSE '[]' END,
     "stale_at" = CASE WHEN ${ACTIVE} THEN now() + (i % 300) * interval '1 second' END
   FROM ${NUMBERS} WHERE t."tenant_id" = u."tenant_id"`,
];

/**
 * Adds tenants to an installation with the demo data: a tier and an API key each, and a purchase, usage of 30 days and
 * utilization for every fifth.
 * @param ownerUrl of the superuser that owns the tables; row-level security does not apply to it
 */
export async function fillInstallation(ownerUrl: string, tenants: number): Promise<void> {
  const database = createPrismaClient(ownerUrl, { max: 1 });
  try {
    // In one transaction, so that no job computes tenants that are filled by half.
    await database.$transaction(
      async (tx) => {
        for (const text of FILL) await tx.$executeRawUnsafe(text, ...(text.includes('$1') ? [tenants] : []));
      },
      { timeout: MAX_FILL_MS },
    );
    await database.$executeRawUnsafe('VACUUM ANALYZE');
  } finally {
    await database.$disconnect();
  }
}

/** Keys of the filled tenants, in the order of their numbers. */
export async function listFilledKeys(ownerUrl: string): Promise<string[]> {
  const database = createPrismaClient(ownerUrl, { max: 1 });
  try {
    const rows = await database.$queryRawUnsafe<{ key: string }[]>(`SELECT "key" FROM ${NUMBERS} ORDER BY i`);
    return rows.map(({ key }) => key);
  } finally {
    await database.$disconnect();
  }
}
