-- Scheduled changes of a subscription, and approved payments, get the names of the field.
ALTER TABLE "subscription_station" RENAME TO "scheduled_change";
ALTER TABLE "scheduled_change" RENAME CONSTRAINT "subscription_station_pkey" TO "scheduled_change_pkey";
ALTER TABLE "scheduled_change" RENAME CONSTRAINT "subscription_station_subscription_id_fkey" TO "scheduled_change_subscription_id_fkey";
ALTER INDEX "subscription_station_at_idx" RENAME TO "scheduled_change_at_idx";
ALTER INDEX "subscription_station_subscription_id_at_key" RENAME TO "scheduled_change_subscription_id_at_key";

-- Row-level security is forced on the owner too and a migration cannot sign a scope: without this, the update finds no rows.
-- The event log is append-only: its trigger is off while the type of stored events is renamed.
ALTER TABLE "purchase_event" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "purchase_event" DISABLE TRIGGER "purchase_event_append_only";
UPDATE "purchase_event" SET "type" = 'approved', "facts" = jsonb_set("facts", '{type}', '"approved"')
WHERE "type" = 'released';
ALTER TABLE "purchase_event" ENABLE TRIGGER "purchase_event_append_only";
ALTER TABLE "purchase_event" FORCE ROW LEVEL SECURITY;
