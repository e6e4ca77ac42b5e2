ALTER TABLE "user" ADD COLUMN "suspended_at" TIMESTAMPTZ(3);

ALTER TABLE "service_token"
  ADD COLUMN "only_in_tenants" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3),
  ADD COLUMN "replaced_by_id" TEXT;
