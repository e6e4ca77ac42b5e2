ALTER TABLE "audit_entry"
  ADD COLUMN "entity_name" TEXT,
  ADD COLUMN "entity_key" TEXT,
  ADD COLUMN "reverted_name" TEXT;
