-- AlterTable
ALTER TABLE "policy_revision" ADD COLUMN     "change_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "change_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "policy_catalogue" (
    "revision" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "text" BYTEA NOT NULL,

    CONSTRAINT "policy_catalogue_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "decision_node" (
    "node_id" TEXT NOT NULL,
    "epoch" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "stale_since" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "decision_node_pkey" PRIMARY KEY ("node_id")
);

-- CreateIndex
CREATE INDEX "decision_node_retired_at_last_seen_at_idx" ON "decision_node"("retired_at", "last_seen_at");

-- CreateIndex
CREATE INDEX "policy_revision_change_ids_idx" ON "policy_revision" USING GIN ("change_ids");

-- Compressed by the application already.
ALTER TABLE "policy_catalogue" ALTER COLUMN "text" SET STORAGE EXTERNAL;

-- What was published long ago is removed.
CREATE INDEX "outbox_event_published_idx" ON "outbox_event"("published_at") WHERE "published_at" IS NOT NULL;
