-- The worker counts these purchases on every scrape of its metrics.
CREATE INDEX "purchase_needs_review_idx" ON "purchase" ("id") WHERE "status" = 'NEEDS_REVIEW';
