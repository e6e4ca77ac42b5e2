-- Lists of many tenants. Under row-level security, Postgres uses no index for operators that are not leakproof: ILIKE, comparisons of
-- enums. Partial indexes replace the comparisons; a separate table replaces ILIKE (docs/adr/0086-lists-of-many-tenants.md).

-- CreateIndex: counts and lists by status. Prisma's schema cannot describe partial indexes.
CREATE INDEX "tenant_unarchived_idx" ON "tenant" ("id") WHERE "status" <> 'ARCHIVED';
CREATE INDEX "tenant_suspended_idx" ON "tenant" ("id") WHERE "status" = 'SUSPENDED';
CREATE INDEX "tenant_archived_idx" ON "tenant" ("id") WHERE "status" = 'ARCHIVED';

-- Only the owner may read it: row-level security would keep its index from being used.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";

-- CreateTable
CREATE TABLE "tenant_search" (
    "tenant_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "tenant_search_pkey" PRIMARY KEY ("tenant_id")
);
REVOKE ALL ON "tenant_search" FROM PUBLIC, "tollgate_app";

-- The indexes above have locked "tenant" for writers, so no row is missed until the triggers exist. Readers are not blocked. The scope
-- shows all rows to the owner, whom row-level security restricts too.
SELECT set_config('tollgate.scope', 'all', false);

INSERT INTO "tenant_search" ("tenant_id", "text") SELECT "id", lower("key" || E'\n' || "name") FROM "tenant";

-- AddForeignKey
ALTER TABLE "tenant_search" ADD CONSTRAINT "tenant_search_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT set_config('tollgate.scope', '', false);

-- CreateIndex: after the rows, because building it once is faster.
CREATE INDEX "tenant_search_text_idx" ON "tenant_search" USING GIN ("text" gin_trgm_ops);

CREATE FUNCTION "tollgate_index_tenant"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO "tenant_search" ("tenant_id", "text") VALUES (NEW."id", lower(NEW."key" || E'\n' || NEW."name"))
  ON CONFLICT ("tenant_id") DO UPDATE SET "text" = excluded."text";
  RETURN NULL;
END $$;

CREATE TRIGGER "tenant_search_insert" AFTER INSERT ON "tenant"
  FOR EACH ROW EXECUTE FUNCTION "tollgate_index_tenant"();
CREATE TRIGGER "tenant_search_update" AFTER UPDATE OF "key", "name" ON "tenant"
  FOR EACH ROW EXECUTE FUNCTION "tollgate_index_tenant"();

-- Ids of the tenants whose key or name contains `part`, whatever its case. Null if they are more than `most`, or the scope does not
-- see all tenants. The text of the query contains the pattern, because a plan for any pattern would not use the statistics.
CREATE FUNCTION "tollgate_find_tenants"("part" text, "most" int) RETURNS text[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  "pattern" text := '%' || regexp_replace(lower("part"), '([\\%_])', '\\\1', 'g') || '%';
  "found" text[];
BEGIN
  IF NOT "tollgate_sees_all"() THEN RETURN NULL; END IF;
  EXECUTE format('SELECT ARRAY(SELECT "tenant_id" FROM "tenant_search" WHERE "text" LIKE %L LIMIT %s)', "pattern", "most"::bigint + 1)
    INTO "found";
  RETURN CASE WHEN cardinality("found") <= "most" THEN "found" END;
END $$;
