-- CreateEnum
CREATE TYPE "TrafficGapReason" AS ENUM ('DROPPED', 'MISSING', 'RESTARTED');

-- CreateTable
CREATE TABLE "traffic_block" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "apis" TEXT[],
    "from_us" BIGINT NOT NULL,
    "to_us" BIGINT NOT NULL,
    "rows" INTEGER NOT NULL,
    "level" SMALLINT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "packed" BYTEA NOT NULL,
    "replaced_by" BIGINT,
    "replaced_at" TIMESTAMPTZ(3),

    CONSTRAINT "traffic_block_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "traffic_source" (
    "node_id" TEXT NOT NULL,
    "epoch" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "last_us" BIGINT NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "traffic_source_pkey" PRIMARY KEY ("node_id","epoch")
);

-- CreateTable
CREATE TABLE "traffic_gap" (
    "id" BIGSERIAL NOT NULL,
    "node_id" TEXT NOT NULL,
    "epoch" TEXT NOT NULL,
    "reason" "TrafficGapReason" NOT NULL,
    "from_us" BIGINT NOT NULL,
    "to_us" BIGINT NOT NULL,
    "decisions" BIGINT,

    CONSTRAINT "traffic_gap_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "traffic_block_tenant_id_from_us_bytes_idx" ON "traffic_block"("tenant_id", "from_us", "bytes");

-- CreateIndex
CREATE INDEX "traffic_block_from_us_id_idx" ON "traffic_block"("from_us", "id");

-- CreateIndex
CREATE INDEX "traffic_source_node_id_last_at_idx" ON "traffic_source"("node_id", "last_at");

-- CreateIndex
CREATE INDEX "traffic_source_last_at_idx" ON "traffic_source"("last_at");

-- CreateIndex
CREATE INDEX "traffic_gap_to_us_idx" ON "traffic_gap"("to_us");

-- AddForeignKey
ALTER TABLE "traffic_block" ADD CONSTRAINT "traffic_block_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Blocks that a merge has to look at, and those that it replaced.
CREATE INDEX "traffic_block_open_idx" ON "traffic_block"("tenant_id", "level") WHERE "replaced_by" IS NULL AND "level" < 3;
CREATE INDEX "traffic_block_replaced_at_idx" ON "traffic_block"("replaced_at") WHERE "replaced_at" IS NOT NULL;

-- Blocks are compressed already.
ALTER TABLE "traffic_block" ALTER COLUMN "packed" SET STORAGE EXTERNAL;
ALTER TABLE "traffic_block" ADD CONSTRAINT "traffic_block_times" CHECK ("rows" >= 1 AND "from_us" <= "to_us");

SELECT "tollgate_protect"('traffic_block');
SELECT "tollgate_protect_platform"('traffic_source');
SELECT "tollgate_protect_platform"('traffic_gap');
