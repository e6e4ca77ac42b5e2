-- CreateTable
CREATE TABLE "limit_peak" (
    "tenant_id" TEXT NOT NULL,
    "api" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "is_quota" BOOLEAN NOT NULL,
    "used" BIGINT NOT NULL,
    "capacity" BIGINT NOT NULL,
    "peak_at" TIMESTAMPTZ(3) NOT NULL,
    "denied" BIGINT NOT NULL,
    "denied_at" TIMESTAMPTZ(3),

    CONSTRAINT "limit_peak_pkey" PRIMARY KEY ("tenant_id","api","limit_name","at")
);

-- CreateTable
CREATE TABLE "tenant_utilization" (
    "tenant_id" TEXT NOT NULL,
    "percent" INTEGER NOT NULL DEFAULT 0,
    "requests" BIGINT NOT NULL DEFAULT 0,
    "denied" BIGINT NOT NULL DEFAULT 0,
    "exhausts_at" TIMESTAMPTZ(3) NOT NULL DEFAULT 'infinity'::timestamp with time zone,
    "limits" JSONB NOT NULL DEFAULT '[]',
    "requests_by_hour" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "denied_by_hour" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "computed_at" TIMESTAMPTZ(3),
    "stale_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_utilization_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "saved_view" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "search" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_view_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "limit_peak_at_idx" ON "limit_peak"("at");

-- CreateIndex
CREATE INDEX "tenant_utilization_percent_denied_tenant_id_idx" ON "tenant_utilization"("percent", "denied", "tenant_id");

-- CreateIndex
CREATE INDEX "tenant_utilization_denied_tenant_id_idx" ON "tenant_utilization"("denied", "tenant_id");

-- CreateIndex
CREATE INDEX "tenant_utilization_requests_tenant_id_idx" ON "tenant_utilization"("requests", "tenant_id");

-- CreateIndex
CREATE INDEX "tenant_utilization_exhausts_at_tenant_id_idx" ON "tenant_utilization"("exhausts_at", "tenant_id");

-- CreateIndex
CREATE INDEX "tenant_utilization_stale_at_idx" ON "tenant_utilization"("stale_at");

-- CreateIndex
CREATE UNIQUE INDEX "saved_view_user_id_list_name_key" ON "saved_view"("user_id", "list", "name");

-- DropIndex
DROP INDEX "tenant_status_idx";

-- CreateIndex
CREATE INDEX "tenant_status_id_idx" ON "tenant"("status", "id");

-- CreateIndex
CREATE INDEX "tenant_name_id_idx" ON "tenant"("name", "id");

-- CreateIndex
CREATE INDEX "subscription_tier_id_tenant_id_idx" ON "subscription"("tier_id", "tenant_id");

-- AddForeignKey
ALTER TABLE "tenant_utilization" ADD CONSTRAINT "tenant_utilization_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Row-level security is forced on the owner too and a migration cannot sign a scope: without this, it finds no tenants.
ALTER TABLE "tenant" NO FORCE ROW LEVEL SECURITY;
INSERT INTO "tenant_utilization" ("tenant_id") SELECT "id" FROM "tenant";
ALTER TABLE "tenant" FORCE ROW LEVEL SECURITY;

-- Every tenant has a row, and every change of a tenant or its subscription (which updates the tenant) makes it stale.
CREATE FUNCTION "tollgate_utilization_stale"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "tenant_utilization" ("tenant_id", "stale_at") VALUES (NEW."id", now())
  ON CONFLICT ("tenant_id") DO UPDATE SET "stale_at" = excluded."stale_at";
  RETURN NULL;
END $$;

CREATE TRIGGER "tenant_utilization_stale" AFTER INSERT OR UPDATE ON "tenant"
  FOR EACH ROW EXECUTE FUNCTION "tollgate_utilization_stale"();

-- Rows are rewritten often: leaves room for new versions on the same page.
ALTER TABLE "tenant_utilization" SET (fillfactor = 70);

SELECT "tollgate_protect"('limit_peak');
SELECT "tollgate_protect"('tenant_utilization');
SELECT "tollgate_protect_platform"('saved_view');
