-- CreateEnum
CREATE TYPE "CarryOver" AS ENUM ('KEEP', 'RESET', 'PROPORTIONAL', 'ADDITIVE');

-- CreateEnum
CREATE TYPE "Priority" AS ENUM ('CRITICAL', 'NORMAL', 'BACKGROUND');

-- AlterEnum
ALTER TYPE "Algorithm" ADD VALUE 'SLIDING_WINDOW_LOG';
ALTER TYPE "Algorithm" ADD VALUE 'SLIDING_WINDOW_COUNTER';
ALTER TYPE "Algorithm" ADD VALUE 'TOKEN_BUCKET';
ALTER TYPE "Algorithm" ADD VALUE 'LEAKY_BUCKET';
ALTER TYPE "Algorithm" ADD VALUE 'CONCURRENCY';
ALTER TYPE "Algorithm" ADD VALUE 'QUOTA';

-- AlterTable
ALTER TABLE "limit" ADD COLUMN     "terms" JSONB NOT NULL DEFAULT '{}',
ALTER COLUMN "window_ms" DROP NOT NULL;

-- AlterTable
ALTER TABLE "operation" ADD COLUMN     "priority" "Priority" NOT NULL DEFAULT 'NORMAL';

-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "generation" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "billing_anchor_day" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "tier" ADD COLUMN     "weight" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "tier_version" ADD COLUMN     "carry_over" "CarryOver" NOT NULL DEFAULT 'KEEP';

-- CreateTable
CREATE TABLE "subscription_move" (
    "id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "tier_id" TEXT NOT NULL,
    "version_number" INTEGER NOT NULL,
    "generation" INTEGER NOT NULL,
    "carry_over" "CarryOver" NOT NULL,
    "time_zone" TEXT NOT NULL,
    "billing_anchor_day" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_move_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pool" (
    "id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "operations" TEXT[],
    "capacity" INTEGER NOT NULL,
    "reclaim_percent" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pool_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "subscription_move_tier_id_version_number_at_idx" ON "subscription_move"("tier_id", "version_number", "at");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_move_subscription_id_generation_key" ON "subscription_move"("subscription_id", "generation");

-- CreateIndex
CREATE UNIQUE INDEX "pool_api_id_name_key" ON "pool"("api_id", "name");

-- AddForeignKey
ALTER TABLE "subscription_move" ADD CONSTRAINT "subscription_move_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_move" ADD CONSTRAINT "subscription_move_tier_id_version_number_fkey" FOREIGN KEY ("tier_id", "version_number") REFERENCES "tier_version"("tier_id", "number") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "pool" ADD CONSTRAINT "pool_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "api"("id") ON DELETE CASCADE ON UPDATE CASCADE;



-- What Prisma's schema cannot say ------------------------------------------------------------------------------------

ALTER TABLE "tenant" ADD CONSTRAINT "tenant_billing_anchor_day" CHECK ("billing_anchor_day" BETWEEN 1 AND 31);
ALTER TABLE "tier" ADD CONSTRAINT "tier_weight" CHECK ("weight" BETWEEN 1 AND 1000);
ALTER TABLE "pool"
  ADD CONSTRAINT "pool_capacity" CHECK ("capacity" BETWEEN 1 AND 1000000000),
  ADD CONSTRAINT "pool_reclaim_percent" CHECK ("reclaim_percent" BETWEEN 1 AND 100);

-- As text: values that this migration adds to the enum cannot be used before it is committed.
ALTER TABLE "limit"
  DROP CONSTRAINT "limit_algorithm_fields",
  ADD CONSTRAINT "limit_algorithm_fields" CHECK (
    ("alignment" IS NOT NULL) = ("algorithm"::text = 'FIXED_WINDOW')
    AND ("burst" IS NOT NULL) = ("algorithm"::text = 'GCRA')
    AND ("window_ms" IS NULL) = ("algorithm"::text IN ('CONCURRENCY', 'QUOTA'))
    AND coalesce("burst" BETWEEN 0 AND 9007199254740991, true)
  ),
  ADD CONSTRAINT "limit_terms_object" CHECK (jsonb_typeof("terms") = 'object');
