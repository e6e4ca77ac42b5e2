-- The busiest minute of each day, for graphs of rate limits that reach further back than minutes are kept.
CREATE TABLE "usage_peak" (
    "tenant_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "api" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "units" BIGINT NOT NULL,

    CONSTRAINT "usage_peak_pkey" PRIMARY KEY ("tenant_id","at","api","operation")
);
CREATE INDEX "usage_peak_at_idx" ON "usage_peak"("at");
ALTER TABLE "usage_peak" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
SELECT "tollgate_protect"('usage_peak');
