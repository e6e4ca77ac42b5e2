-- CreateIndex: tenants with the most denials. In a separate migration, so that no transaction locks both "tenant" and "usage_hour":
-- it would wait in a circle with one that writes both.
CREATE INDEX "usage_hour_series_id_at_idx" ON "usage_hour"("series_id", "at");
