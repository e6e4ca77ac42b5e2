-- The application's privileges: owns nothing, is held to row-level security. Roles belong to the whole server, so another
-- database may have created it already, even at this moment, or a DBA where this login may not create roles.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_app') THEN
    CREATE ROLE "tollgate_app" NOLOGIN NOSUPERUSER NOBYPASSRLS;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

ALTER TABLE "user" ALTER COLUMN "role" DROP NOT NULL, ALTER COLUMN "role" DROP DEFAULT;

ALTER TABLE "member" ADD COLUMN "user_id" TEXT;
CREATE INDEX "member_user_id_idx" ON "member" ("user_id");
ALTER TABLE "member" ADD CONSTRAINT "member_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "subscription_move" ADD COLUMN "tenant_id" TEXT;
UPDATE "subscription_move" SET "tenant_id" = "subscription"."tenant_id"
  FROM "subscription" WHERE "subscription"."id" = "subscription_move"."subscription_id";
ALTER TABLE "subscription_move" ALTER COLUMN "tenant_id" SET NOT NULL;

CREATE TABLE "notice" (
  "id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "tenant_id" TEXT,
  "tenant_key" TEXT,
  "data" JSONB NOT NULL,
  "dedupe_key" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "notice_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "notice_dedupe_key_key" ON "notice" ("dedupe_key");
CREATE INDEX "notice_tenant_id_id_idx" ON "notice" ("tenant_id", "id");

-- Whose rows the transaction may see: `all`, or the tenants of these ids. Unset, as on a fresh connection: nobody's.
CREATE FUNCTION "tollgate_sees_all"() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(current_setting('tollgate.scope', true), '') = 'all'
$$;

CREATE FUNCTION "tollgate_seen_tenants"() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT string_to_array(coalesce(current_setting('tollgate.tenants', true), ''), ',')
$$;

-- Lets a table with `tenant_id` show and take only rows of the tenants that the transaction may see. The sub-selects are
-- computed once for a statement, not for every row.
CREATE FUNCTION "tollgate_protect"("target" regclass, "tenant_column" text DEFAULT 'tenant_id') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', "target");
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', "target");
  EXECUTE format(
    'CREATE POLICY "tenant_wall" ON %s USING ((SELECT "tollgate_sees_all"()) OR %I = ANY ((SELECT "tollgate_seen_tenants"())::text[]))',
    "target", "tenant_column"
  );
END $$;

SELECT "tollgate_protect"('tenant', 'id');
SELECT "tollgate_protect"('member');
SELECT "tollgate_protect"('subscription');
SELECT "tollgate_protect"('subscription_move');
SELECT "tollgate_protect"('notice');

-- By the tenant's key: entries outlive their tenant. What a tenant's own people do is written down whoever may read it.
ALTER TABLE "audit_entry" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_entry" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_wall" ON "audit_entry" FOR SELECT
  USING ((SELECT "tollgate_sees_all"()) OR "tenant_key" IN (SELECT "key" FROM "tenant"));
CREATE POLICY "tenant_wall_insert" ON "audit_entry" FOR INSERT
  WITH CHECK ((SELECT "tollgate_sees_all"()) OR "tenant_key" IN (SELECT "key" FROM "tenant"));

GRANT USAGE ON SCHEMA public TO "tollgate_app";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "tollgate_app";
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO "tollgate_app";
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "tollgate_app";
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO "tollgate_app";
REVOKE UPDATE, DELETE ON "audit_entry" FROM "tollgate_app";
DO $$
BEGIN
  IF to_regclass('"_prisma_migrations"') IS NOT NULL THEN
    REVOKE ALL ON "_prisma_migrations" FROM "tollgate_app";
  END IF;
END $$;
