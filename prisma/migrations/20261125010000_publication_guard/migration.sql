-- CreateEnum
CREATE TYPE "PublicationGuardState" AS ENUM ('WATCHING', 'PASSED', 'REVERTED', 'UNDECIDED', 'CANCELED', 'SUPERSEDED');

-- CreateTable
CREATE TABLE "publication_guard" (
    "id" TEXT NOT NULL,
    "tier_id" TEXT NOT NULL,
    "version_number" INTEGER NOT NULL,
    "change_id" TEXT NOT NULL,
    "apis" TEXT[],
    "max_denial_rise" DOUBLE PRECISION NOT NULL,
    "min_decisions" INTEGER NOT NULL,
    "within_minutes" INTEGER NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "missing_before" BIGINT NOT NULL,
    "active_from" TIMESTAMPTZ(3),
    "state" "PublicationGuardState" NOT NULL DEFAULT 'WATCHING',
    "obstacle" TEXT,
    "message" TEXT,
    "figures" JSONB,
    "checked_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ended_by" TEXT,
    "reverted_by" TEXT,

    CONSTRAINT "publication_guard_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "publication_guard_tier_id_published_at_idx" ON "publication_guard"("tier_id", "published_at");

-- CreateIndex
CREATE INDEX "publication_guard_state_idx" ON "publication_guard"("state");

-- AddForeignKey
ALTER TABLE "publication_guard" ADD CONSTRAINT "publication_guard_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "tier"("id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT tollgate_protect_platform('publication_guard');
