-- CreateEnum
CREATE TYPE "SimulationState" AS ENUM ('WAITING', 'RUNNING', 'DONE', 'FAILED', 'CANCELED');

-- CreateTable
CREATE TABLE "simulation" (
    "id" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "state" "SimulationState" NOT NULL DEFAULT 'WAITING',
    "from_us" BIGINT NOT NULL,
    "to_us" BIGINT NOT NULL,
    "tenant_keys" TEXT[],
    "decisions" BIGINT NOT NULL,
    "replayed" BIGINT NOT NULL DEFAULT 0,
    "draft" JSONB,
    "result" JSONB,
    "message" TEXT,
    "requested_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "beat_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "simulation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "simulation_digest_created_at_idx" ON "simulation"("digest", "created_at");

-- CreateIndex
CREATE INDEX "simulation_state_idx" ON "simulation"("state");

-- CreateIndex
CREATE INDEX "simulation_created_at_idx" ON "simulation"("created_at");

SELECT "tollgate_protect_platform"('simulation');
