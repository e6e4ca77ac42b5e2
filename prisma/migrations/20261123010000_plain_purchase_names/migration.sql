-- Purchases, payments and invoices get the names of the field. EXPIRED is freed before ENDED takes it.
ALTER TYPE "PurchaseStatus" RENAME VALUE 'HELD' TO 'NEEDS_REVIEW';
ALTER TYPE "PurchaseStatus" RENAME VALUE 'GRACE' TO 'PAST_DUE';
ALTER TYPE "PurchaseStatus" RENAME VALUE 'EXPIRED' TO 'CANCELED';
ALTER TYPE "PurchaseStatus" RENAME VALUE 'ENDED' TO 'EXPIRED';
ALTER TYPE "MoneyAccount" RENAME VALUE 'HELD' TO 'SUSPENSE';
ALTER TYPE "EntitlementCause" RENAME VALUE 'CANCELLED' TO 'CANCELED';
ALTER TABLE "invoice" RENAME COLUMN "settled_at" TO "closed_at";
ALTER TABLE "purchase" RENAME COLUMN "holds_stock" TO "stock_reserved";

-- Row-level security is forced on the owner too and a migration cannot sign a scope: without this, the updates find no rows.
ALTER TABLE "purchase_event" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "test_event" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "notice" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "webhook_endpoint" NO FORCE ROW LEVEL SECURITY;

-- The event log is append-only: its trigger is off while the types of stored events are renamed.
ALTER TABLE "purchase_event" DISABLE TRIGGER "purchase_event_append_only";
UPDATE "purchase_event" SET
  "type" = renamed."new",
  "facts" = jsonb_set("facts", '{type}', to_jsonb(renamed."new"))
FROM (VALUES ('withheld', 'flagged'), ('expired', 'canceled'), ('ended', 'subscription_ended')) AS renamed ("old", "new")
WHERE "purchase_event"."type" = renamed."old";
ALTER TABLE "purchase_event" ENABLE TRIGGER "purchase_event_append_only";

-- Events of the test provider that are not delivered yet.
UPDATE "test_event" SET "body" = replace("body", '"fact":{"type":"ended"}', '"fact":{"type":"subscription_ended"}')
WHERE "delivered_at" IS NULL;

-- Notices and the endpoints that subscribe to them. Deliveries keep their body: its bytes are signed and sent as they are.
UPDATE "notice" SET
  "kind" = 'purchase.expired',
  "dedupe_key" = regexp_replace("dedupe_key", '^purchase\.ended:', 'purchase.expired:')
WHERE "kind" = 'purchase.ended';
UPDATE "webhook_endpoint" SET "events" = array_replace("events", 'purchase.ended', 'purchase.expired')
WHERE 'purchase.ended' = ANY ("events");

ALTER TABLE "purchase_event" FORCE ROW LEVEL SECURITY;
ALTER TABLE "test_event" FORCE ROW LEVEL SECURITY;
ALTER TABLE "notice" FORCE ROW LEVEL SECURITY;
ALTER TABLE "webhook_endpoint" FORCE ROW LEVEL SECURITY;

