CREATE TABLE "traffic_minute" (
    "at" TIMESTAMPTZ(0) NOT NULL,
    "count" BIGINT NOT NULL,
    "denied" BIGINT NOT NULL,
    "degraded" BIGINT NOT NULL,
    "units" BIGINT NOT NULL,
    "durations" BIGINT[],

    CONSTRAINT "traffic_minute_pkey" PRIMARY KEY ("at")
);

SELECT "tollgate_protect_platform"('traffic_minute');

-- Usage that is stored already: by minute where there are minutes, else by hour.
INSERT INTO "traffic_minute" ("at", "count", "denied", "degraded", "units", "durations")
SELECT u."at", sum(u."count"),
  coalesce(sum(u."count") FILTER (WHERE s."outcome" IN ('DENIED', 'POOL_DENIED', 'DEGRADED_DENIED')), 0),
  coalesce(sum(u."count") FILTER (WHERE s."outcome" = 'DEGRADED_ALLOWED'), 0), sum(u."units"), '{}'
FROM (
  SELECT "at", "series_id", "count", "units" FROM "usage_minute"
  UNION ALL
  SELECT "at", "series_id", "count", "units" FROM "usage_hour"
  WHERE "at" + interval '1 hour' <= coalesce((SELECT min("at") FROM "usage_minute"), 'infinity')
) u JOIN "usage_series" s ON s."id" = u."series_id"
GROUP BY u."at";
