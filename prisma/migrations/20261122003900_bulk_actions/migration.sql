CREATE TYPE "BulkActionKind" AS ENUM ('TIER_CHANGE', 'OVERRIDE', 'BOOST', 'SUSPEND', 'RESUME', 'UNDO');
CREATE TYPE "BulkActionStatus" AS ENUM ('QUEUED', 'RUNNING', 'DONE', 'CANCELLED');
CREATE TYPE "BulkItemStatus" AS ENUM ('PENDING', 'DONE', 'FAILED', 'CANCELLED');

CREATE TABLE "bulk_action" (
  "id" TEXT NOT NULL,
  "kind" "BulkActionKind" NOT NULL,
  "input" JSONB NOT NULL,
  "reason" TEXT NOT NULL,
  "status" "BulkActionStatus" NOT NULL DEFAULT 'QUEUED',
  "total" INTEGER NOT NULL,
  "actor_kind" "ActorKind" NOT NULL,
  "actor_id" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "request_id" TEXT NOT NULL,
  "reverts_id" TEXT,
  "stopped_because" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  CONSTRAINT "bulk_action_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "bulk_action_reverts_id_key" ON "bulk_action" ("reverts_id");
CREATE INDEX "bulk_action_status_id_idx" ON "bulk_action" ("status", "id");

CREATE TABLE "bulk_action_item" (
  "bulk_action_id" TEXT NOT NULL,
  "tenant_id" TEXT NOT NULL,
  "tenant_key" TEXT NOT NULL,
  "status" "BulkItemStatus" NOT NULL DEFAULT 'PENDING',
  "change_id" TEXT,
  "done" JSONB,
  "error" TEXT,
  "at" TIMESTAMPTZ(3),
  CONSTRAINT "bulk_action_item_pkey" PRIMARY KEY ("bulk_action_id", "tenant_id"),
  CONSTRAINT "bulk_action_item_bulk_action_id_fkey" FOREIGN KEY ("bulk_action_id") REFERENCES "bulk_action" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "bulk_action_item_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "bulk_action_item_bulk_action_id_status_tenant_key_idx" ON "bulk_action_item" ("bulk_action_id", "status", "tenant_key");
CREATE INDEX "bulk_action_item_tenant_id_idx" ON "bulk_action_item" ("tenant_id");

SELECT "tollgate_protect"('bulk_action_item');
