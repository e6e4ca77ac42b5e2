-- CreateEnum
CREATE TYPE "UsageOutcome" AS ENUM ('ALLOWED', 'REFUSED', 'OVER_LIMIT', 'SHADOW_REFUSED', 'POOL_REFUSED', 'NO_LIMIT', 'DEGRADED_ALLOWED', 'DEGRADED_REFUSED');

-- CreateTable
CREATE TABLE "usage_series" (
    "id" SERIAL NOT NULL,
    "api" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "outcome" "UsageOutcome" NOT NULL,

    CONSTRAINT "usage_series_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_minute" (
    "tenant_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "series_id" INTEGER NOT NULL,
    "count" BIGINT NOT NULL,
    "units" BIGINT NOT NULL,

    CONSTRAINT "usage_minute_pkey" PRIMARY KEY ("tenant_id","at","series_id")
);

-- CreateTable
CREATE TABLE "usage_hour" (
    "tenant_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "series_id" INTEGER NOT NULL,
    "count" BIGINT NOT NULL,
    "units" BIGINT NOT NULL,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("tenant_id","at","series_id")
);

-- CreateTable
CREATE TABLE "usage_day" (
    "tenant_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "series_id" INTEGER NOT NULL,
    "count" BIGINT NOT NULL,
    "units" BIGINT NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("tenant_id","at","series_id")
);

-- CreateTable
CREATE TABLE "usage_source" (
    "node_id" TEXT NOT NULL,
    "epoch" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "frames" BIGINT NOT NULL,
    "missed" BIGINT NOT NULL,
    "repeated" BIGINT NOT NULL,
    "crossings_dropped" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_source_pkey" PRIMARY KEY ("node_id","epoch")
);

-- CreateTable
CREATE TABLE "stream_position" (
    "stream" TEXT NOT NULL,
    "last_id" TEXT NOT NULL,
    "set_aside" BIGINT NOT NULL DEFAULT 0,
    "read_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_position_pkey" PRIMARY KEY ("stream")
);

-- CreateTable
CREATE TABLE "stream_reject" (
    "stream" TEXT NOT NULL,
    "entry_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_reject_pkey" PRIMARY KEY ("stream","entry_id")
);

-- CreateTable
CREATE TABLE "limit_crossing" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "api" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "counter" TEXT NOT NULL,
    "percent" INTEGER NOT NULL,
    "used" BIGINT NOT NULL,
    "capacity" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "limit_crossing_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "limit_offender" (
    "tenant_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(0) NOT NULL,
    "counter" TEXT NOT NULL,
    "api" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "units" BIGINT NOT NULL,
    "error" BIGINT NOT NULL,

    CONSTRAINT "limit_offender_pkey" PRIMARY KEY ("tenant_id","at","counter")
);

-- CreateTable
CREATE TABLE "decision_sample" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "node_id" TEXT NOT NULL,
    "api" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "limit_name" TEXT,
    "outcome" "UsageOutcome" NOT NULL,
    "reason" TEXT NOT NULL,
    "cost" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "delay_ms" INTEGER NOT NULL,
    "retry_after" INTEGER,
    "subject" JSONB NOT NULL,
    "policies" JSONB NOT NULL,

    CONSTRAINT "decision_sample_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "quota_checkpoint" (
    "tenant_id" TEXT NOT NULL,
    "counter" TEXT NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "used" BIGINT NOT NULL,
    "at_us" BIGINT NOT NULL,
    "lowered_at_us" BIGINT NOT NULL,

    CONSTRAINT "quota_checkpoint_pkey" PRIMARY KEY ("tenant_id","counter","period_end")
);

-- CreateIndex
CREATE UNIQUE INDEX "usage_series_api_operation_limit_name_outcome_key" ON "usage_series"("api", "operation", "limit_name", "outcome");

-- CreateIndex
CREATE INDEX "usage_minute_at_idx" ON "usage_minute"("at");

-- CreateIndex
CREATE INDEX "usage_hour_at_idx" ON "usage_hour"("at");

-- CreateIndex
CREATE INDEX "usage_day_at_idx" ON "usage_day"("at");

-- CreateIndex
CREATE INDEX "usage_source_last_at_idx" ON "usage_source"("last_at");

-- CreateIndex
CREATE INDEX "limit_crossing_tenant_id_at_idx" ON "limit_crossing"("tenant_id", "at");

-- CreateIndex
CREATE INDEX "limit_crossing_at_idx" ON "limit_crossing"("at");

-- CreateIndex
CREATE INDEX "limit_offender_at_idx" ON "limit_offender"("at");

-- CreateIndex
CREATE INDEX "decision_sample_tenant_id_id_idx" ON "decision_sample"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "decision_sample_request_id_idx" ON "decision_sample"("request_id");

-- CreateIndex
CREATE INDEX "decision_sample_at_idx" ON "decision_sample"("at");

-- CreateIndex
CREATE UNIQUE INDEX "decision_sample_tenant_id_request_id_at_key" ON "decision_sample"("tenant_id", "request_id", "at");

-- CreateIndex
CREATE INDEX "quota_checkpoint_period_end_idx" ON "quota_checkpoint"("period_end");


-- What Prisma's schema cannot say ------------------------------------------------------------------------------------

-- Counts grow in place, without a word to the indexes, as long as a page has room for the new row.
ALTER TABLE "usage_minute" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "usage_hour" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "usage_day" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

ALTER TABLE "usage_minute" ADD CONSTRAINT "usage_minute_counts" CHECK ("count" >= 1 AND "units" >= 0);
ALTER TABLE "usage_hour" ADD CONSTRAINT "usage_hour_counts" CHECK ("count" >= 1 AND "units" >= 0);
ALTER TABLE "usage_day" ADD CONSTRAINT "usage_day_counts" CHECK ("count" >= 1 AND "units" >= 0);

SELECT "tollgate_protect"('usage_minute');
SELECT "tollgate_protect"('usage_hour');
SELECT "tollgate_protect"('usage_day');
SELECT "tollgate_protect"('limit_crossing');
SELECT "tollgate_protect"('limit_offender');
SELECT "tollgate_protect"('decision_sample');
SELECT "tollgate_protect"('quota_checkpoint');
