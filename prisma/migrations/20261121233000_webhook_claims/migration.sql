-- How many deliveries of an endpoint are under way is asked for every endpoint twice a second: by this, a backlog is not read
-- for it.
CREATE INDEX "webhook_delivery_claimed_idx" ON "webhook_delivery" ("endpoint_id", "claimed_until")
  WHERE "status" = 'PENDING' AND "claimed_until" IS NOT NULL;
