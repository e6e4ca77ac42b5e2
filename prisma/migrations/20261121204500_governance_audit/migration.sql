-- The audit trail becomes one chain of hashes for each tenant and one for the platform. What is there already is chained
-- in the order in which it was written, by the same rules as packages/contracts/src/audit-chain.ts.
SELECT set_config('tollgate.scope', 'all', false);

ALTER TABLE "audit_entry"
  ADD COLUMN "chain" TEXT,
  ADD COLUMN "sequence" BIGINT,
  ADD COLUMN "chain_version" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "previous_hash" TEXT,
  ADD COLUMN "hash" TEXT,
  ADD COLUMN "tenant_id" TEXT,
  ADD COLUMN "actor_id" TEXT,
  ADD COLUMN "address" TEXT,
  ADD COLUMN "user_agent" TEXT;

ALTER TABLE "audit_entry" DISABLE TRIGGER "audit_entry_append_only";

UPDATE "audit_entry" SET "chain" = coalesce("tenant_key", '~platform');
UPDATE "audit_entry" SET "tenant_id" = "tenant"."id" FROM "tenant" WHERE "tenant"."key" = "audit_entry"."tenant_key";
UPDATE "audit_entry" SET "sequence" = placed."sequence"
  FROM (SELECT "id", row_number() OVER (PARTITION BY "chain" ORDER BY "id") AS "sequence" FROM "audit_entry") AS placed
  WHERE placed."id" = "audit_entry"."id";

CREATE FUNCTION pg_temp.canonical("value" jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF jsonb_typeof("value") = 'object' THEN
    RETURN '{' || coalesce((SELECT string_agg(to_json(m."key")::text || ':' || pg_temp.canonical(m."value"), ',' ORDER BY m."key" COLLATE "C")
      FROM jsonb_each("value") AS m), '') || '}';
  ELSIF jsonb_typeof("value") = 'array' THEN
    RETURN '[' || coalesce((SELECT string_agg(pg_temp.canonical(e."value"), ',' ORDER BY e."place")
      FROM jsonb_array_elements("value") WITH ORDINALITY AS e("value", "place")), '') || ']';
  END IF;
  RETURN "value"::text;
END $$;

DO $$
DECLARE
  entry "audit_entry"%ROWTYPE;
  chain_now text := '';
  hash_before text;
  facts jsonb;
BEGIN
  FOR entry IN SELECT * FROM "audit_entry" ORDER BY "chain", "sequence" LOOP
    IF entry."chain" <> chain_now THEN
      chain_now := entry."chain";
      hash_before := repeat('0', 64);
    END IF;
    facts := jsonb_build_array(
      1, entry."chain", entry."sequence", hash_before, entry."id",
      to_char(entry."at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      entry."actor_kind", NULL, entry."actor", entry."action", entry."entity", entry."entity_id", entry."tenant_id",
      entry."tenant_key", entry."before", entry."after", entry."reason", entry."request_id", entry."change_id", NULL, NULL
    );
    UPDATE "audit_entry"
      SET "previous_hash" = hash_before, "hash" = encode(sha256(convert_to(pg_temp.canonical(facts), 'UTF8')), 'hex')
      WHERE "id" = entry."id" RETURNING "hash" INTO hash_before;
  END LOOP;
END $$;

DROP FUNCTION pg_temp.canonical(jsonb);

ALTER TABLE "audit_entry" ENABLE TRIGGER "audit_entry_append_only";

ALTER TABLE "audit_entry"
  ALTER COLUMN "at" DROP DEFAULT,
  ALTER COLUMN "chain" SET NOT NULL,
  ALTER COLUMN "sequence" SET NOT NULL,
  ALTER COLUMN "chain_version" DROP DEFAULT,
  ALTER COLUMN "previous_hash" SET NOT NULL,
  ALTER COLUMN "hash" SET NOT NULL;

CREATE UNIQUE INDEX "audit_entry_chain_sequence_key" ON "audit_entry" ("chain", "sequence");
CREATE INDEX "audit_entry_entity_id_id_idx" ON "audit_entry" ("entity_id", "id");
CREATE INDEX "audit_entry_actor_id_idx" ON "audit_entry" ("actor", "id");
CREATE INDEX "audit_entry_action_id_idx" ON "audit_entry" ("action", "id");
CREATE INDEX "audit_entry_at_idx" ON "audit_entry" ("at");

-- By the tenant's id, as everywhere.
DROP POLICY "tenant_wall" ON "audit_entry";
DROP POLICY "tenant_wall_insert" ON "audit_entry";
SELECT "tollgate_protect"('audit_entry');

-- Nobody empties it at once either.
CREATE TRIGGER "audit_entry_never_emptied" BEFORE TRUNCATE ON "audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION "guard_audit_entry"();
REVOKE UPDATE, DELETE, TRUNCATE ON "audit_entry" FROM "tollgate_app";

-- Where chains stand, each locked until the transaction ends. The locks are taken in one order everywhere, so that changes of
-- several chains never wait for each other in a circle; the heads are read by a statement of its own, which sees what was
-- committed while this transaction waited.
CREATE FUNCTION "tollgate_audit_heads"("chains" text[])
RETURNS TABLE ("chain" text, "tenant_id" text, "sequence" bigint, "hash" text) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(lock."key")
    FROM (SELECT DISTINCT hashtextextended(c, 0) AS "key" FROM unnest("chains") AS c ORDER BY 1) AS lock;
  RETURN QUERY
    SELECT c, "tenant"."id", coalesce(last."sequence", 0), coalesce(last."hash", repeat('0', 64))
    FROM unnest("chains") AS c
    LEFT JOIN "tenant" ON "tenant"."key" = c
    LEFT JOIN LATERAL (
      SELECT entry."sequence", entry."hash" FROM "audit_entry" AS entry
      WHERE entry."chain" = c ORDER BY entry."sequence" DESC LIMIT 1
    ) AS last ON true;
END $$;

SELECT set_config('tollgate.scope', '', false);
