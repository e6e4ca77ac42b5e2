-- CreateEnum
CREATE TYPE "PublishAudience" AS ENUM ('EVERYONE_NOW', 'NEW_TENANTS_ONLY', 'AT_PERIOD_END', 'COHORT');

-- CreateEnum
CREATE TYPE "LimitOrigin" AS ENUM ('TIER', 'DEFAULT');

-- CreateEnum
CREATE TYPE "ManagedBy" AS ENUM ('CONSOLE', 'CONFIG');

-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE',
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "follow_carry_over" "CarryOver",
ADD COLUMN     "follows_at" TIMESTAMPTZ(3),
ADD COLUMN     "held_back" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "api" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE',
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "tier" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE',
ADD COLUMN     "sign_up" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "tier_version" ADD COLUMN     "audience" "PublishAudience" NOT NULL DEFAULT 'EVERYONE_NOW',
ADD COLUMN     "automatic" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "cohort" JSONB;

-- AlterTable
ALTER TABLE "limit" ADD COLUMN     "origin" "LimitOrigin" NOT NULL DEFAULT 'TIER';

-- CreateTable
CREATE TABLE "default_limit" (
    "id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "operations" TEXT[],
    "per" TEXT[],
    "algorithm" "Algorithm" NOT NULL,
    "limit_max" BIGINT NOT NULL,
    "window_ms" BIGINT,
    "burst" BIGINT,
    "alignment" "Alignment",
    "on_unavailable" "OnUnavailable" NOT NULL DEFAULT 'SHARE',
    "terms" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "default_limit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "default_limit_api_id_name_key" ON "default_limit"("api_id", "name");

-- CreateIndex
CREATE INDEX "tenant_tags_idx" ON "tenant" USING GIN ("tags");

-- AddForeignKey
ALTER TABLE "default_limit" ADD CONSTRAINT "default_limit_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "api"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say ------------------------------------------------------------------------------------

-- A version that is made by itself is a draft for the moment in which it is filled; somebody's own draft stays beside it.
DROP INDEX "tier_version_one_draft_idx";
CREATE UNIQUE INDEX "tier_version_one_draft_idx" ON "tier_version" ("tier_id") WHERE "status" = 'DRAFT' AND NOT "automatic";

CREATE UNIQUE INDEX "tier_one_sign_up_idx" ON "tier" ("sign_up") WHERE "sign_up";
ALTER TABLE "tier" ADD CONSTRAINT "tier_sign_up_is_open" CHECK (NOT ("sign_up" AND "archived_at" IS NOT NULL));

-- Whoever waits for the end of a period is few among all, most of the time.
CREATE INDEX "subscription_follows_at_idx" ON "subscription" ("follows_at") WHERE "follows_at" IS NOT NULL;
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_held_back" CHECK (
  (NOT "held_back" OR "pinned_version_number" IS NOT NULL)
  AND ("follows_at" IS NULL OR "held_back")
  AND ("follows_at" IS NULL) = ("follow_carry_over" IS NULL)
);

ALTER TABLE "default_limit"
  ADD CONSTRAINT "default_limit_max_safe" CHECK ("limit_max" BETWEEN 1 AND 9007199254740991),
  ADD CONSTRAINT "default_limit_window_safe" CHECK ("window_ms" BETWEEN 1 AND 31622400000),
  ADD CONSTRAINT "default_limit_algorithm_fields" CHECK (
    ("alignment" IS NOT NULL) = ("algorithm" = 'FIXED_WINDOW')
    AND ("burst" IS NOT NULL) = ("algorithm" = 'GCRA')
    AND ("window_ms" IS NULL) = ("algorithm" IN ('CONCURRENCY', 'QUOTA'))
    AND coalesce("burst" BETWEEN 0 AND 9007199254740991, true)
  ),
  ADD CONSTRAINT "default_limit_terms_object" CHECK (jsonb_typeof("terms") = 'object');
