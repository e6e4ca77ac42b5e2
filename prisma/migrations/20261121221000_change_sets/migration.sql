CREATE TYPE "ChangeSetStatus" AS ENUM ('DRAFT', 'SUBMITTED', 'APPROVED', 'SCHEDULED', 'APPLIED', 'FAILED', 'REJECTED', 'CANCELLED');

CREATE TABLE "change_set" (
  "id" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "description" TEXT NOT NULL DEFAULT '',
  "status" "ChangeSetStatus" NOT NULL DEFAULT 'DRAFT',
  "version" INTEGER NOT NULL DEFAULT 1,
  "author_id" TEXT NOT NULL,
  "author" TEXT NOT NULL,
  "reviewed_diff" JSONB,
  "reviewed_digest" TEXT,
  "reviewed_by" TEXT,
  "reviewed_at" TIMESTAMPTZ(3),
  "note" TEXT,
  "scheduled_at" TIMESTAMPTZ(3),
  "applied_at" TIMESTAMPTZ(3),
  "applied_by" TEXT,
  "change_id" TEXT,
  "errors" JSONB,
  "reverts_id" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "change_set_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "change_set_status_scheduled_at_idx" ON "change_set" ("status", "scheduled_at");

CREATE TABLE "change_set_item" (
  "id" TEXT NOT NULL,
  "change_set_id" TEXT NOT NULL,
  "command" TEXT NOT NULL,
  "input" JSONB NOT NULL,
  "added_by_id" TEXT NOT NULL,
  CONSTRAINT "change_set_item_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "change_set_item_change_set_id_fkey" FOREIGN KEY ("change_set_id") REFERENCES "change_set" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "change_set_item_change_set_id_id_idx" ON "change_set_item" ("change_set_id", "id");
