-- Row-level security by a scope that SQL cannot widen: the application signs it, these functions verify the signature
-- (docs/adr/0041-database-logins.md).

-- Keys that scopes are signed with, as the two padded halves of HMAC-SHA-256. Written by setup. Only the owner may read it:
-- whoever reads it can sign any scope.
CREATE TABLE "scope_key" (
  "id" TEXT NOT NULL,
  "inner_pad" BYTEA NOT NULL,
  "outer_pad" BYTEA NOT NULL,
  CONSTRAINT "scope_key_pkey" PRIMARY KEY ("id")
);
REVOKE ALL ON "scope_key" FROM PUBLIC, "tollgate_app";

-- The claim of a setting that reads `claim#key id#hmac`; empty without a valid signature. The owner's own tools (pg_dump,
-- psql, migrations) may claim `all` unsigned. Both digests are hashed again before they are compared, so that the time of
-- the comparison says nothing about the expected one.
CREATE FUNCTION "tollgate_verified"("setting" text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = public, pg_temp AS $$
DECLARE
  "signed" text := coalesce(current_setting("setting", true), '');
  "parts" text[] := string_to_array("signed", '#');
BEGIN
  IF "signed" = 'all' AND pg_has_role(session_user, current_user, 'MEMBER') THEN RETURN 'all'; END IF;
  IF cardinality("parts") = 3 AND EXISTS (
    SELECT FROM "scope_key" WHERE "id" = "parts"[2] AND sha256(convert_to("parts"[3], 'UTF8')) = sha256(convert_to(encode(
      sha256("outer_pad" || sha256("inner_pad" || convert_to("setting" || '=' || "parts"[1], 'UTF8'))), 'hex'), 'UTF8'))
  ) THEN
    RETURN "parts"[1];
  END IF;
  RETURN '';
END $$;

-- Whether the transaction's scope is one of `names`. The signature is checked only where the unsigned text could match.
CREATE FUNCTION "tollgate_scope_is"(VARIADIC "names" text[]) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN split_part(coalesce(current_setting('tollgate.scope', true), ''), '#', 1) = ANY ("names")
    THEN "tollgate_verified"('tollgate.scope') = ANY ("names") ELSE false END
$$;

CREATE OR REPLACE FUNCTION "tollgate_sees_all"() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT "tollgate_scope_is"('all')
$$;

CREATE OR REPLACE FUNCTION "tollgate_seen_tenants"() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN coalesce(current_setting('tollgate.scope', true), '') LIKE 'tenants:%'
    THEN string_to_array(substr("tollgate_verified"('tollgate.scope'), 9), ',') ELSE ARRAY[]::text[] END
$$;

-- Rows of no tenant: seen by the platform's own work and by the named scopes.
CREATE FUNCTION "tollgate_protect_platform"("target" regclass, VARIADIC "scopes" text[] DEFAULT ARRAY[]::text[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', "target");
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', "target");
  EXECUTE format('CREATE POLICY "platform_wall" ON %s USING ((SELECT "tollgate_scope_is"(VARIADIC %L::text[])))',
    "target", ARRAY['all'] || "scopes");
END $$;

-- The catalogue that all tenants share: anybody may read and lock its rows, only the platform's own work may write them.
CREATE FUNCTION "tollgate_protect_catalogue"("target" regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', "target");
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', "target");
  EXECUTE format('CREATE POLICY "catalogue_read" ON %s FOR SELECT USING (true)', "target");
  EXECUTE format('CREATE POLICY "catalogue_insert" ON %s FOR INSERT WITH CHECK ((SELECT "tollgate_sees_all"()))', "target");
  -- A row lock (FOR SHARE, FOR UPDATE) needs the first condition, a new version of the row the second.
  EXECUTE format('CREATE POLICY "catalogue_update" ON %s FOR UPDATE USING (true) WITH CHECK ((SELECT "tollgate_sees_all"()))', "target");
  EXECUTE format('CREATE POLICY "catalogue_delete" ON %s FOR DELETE USING ((SELECT "tollgate_sees_all"()))', "target");
END $$;

-- Sign-in: `accounts` is the scope of better-auth and of finding out who sent a request.
SELECT "tollgate_protect_platform"('"user"', 'accounts');
SELECT "tollgate_protect_platform"('session', 'accounts');
SELECT "tollgate_protect_platform"('account', 'accounts');
SELECT "tollgate_protect_platform"('verification', 'accounts');
SELECT "tollgate_protect_platform"('service_token');
CREATE POLICY "accounts_read" ON "service_token" FOR SELECT USING ((SELECT "tollgate_scope_is"('accounts')));
CREATE POLICY "accounts_touch" ON "service_token" FOR UPDATE USING ((SELECT "tollgate_scope_is"('accounts')));
CREATE POLICY "accounts_read" ON "tenant" FOR SELECT USING ((SELECT "tollgate_scope_is"('accounts')));
CREATE POLICY "accounts_read" ON "member" FOR SELECT USING ((SELECT "tollgate_scope_is"('accounts')));
-- A tenant sees the people who belong to it.
CREATE POLICY "tenant_wall" ON "user" FOR SELECT USING ("id" IN (SELECT "user_id" FROM "member"));

-- Idempotency keys: `requests` is the scope of the code that claims and answers them. A change sees the steps of its own key.
SELECT "tollgate_protect_platform"('idempotency_key', 'requests');
SELECT "tollgate_protect_platform"('idempotency_step', 'requests');
CREATE POLICY "request_wall" ON "idempotency_step"
  USING ("key_id" = (SELECT nullif("tollgate_verified"('tollgate.request'), '')));

-- What operators do to many tenants, and what the platform keeps of nodes and streams.
SELECT "tollgate_protect_platform"('change_set');
SELECT "tollgate_protect_platform"('change_set_item');
SELECT "tollgate_protect_platform"('bulk_action');
SELECT "tollgate_protect_platform"('policy_catalogue');
SELECT "tollgate_protect_platform"('decision_node');
SELECT "tollgate_protect_platform"('stream_position');
SELECT "tollgate_protect_platform"('stream_reject');
SELECT "tollgate_protect_platform"('usage_source');

-- A tenant's change announces that tenant's record, and nothing else.
SELECT "tollgate_protect_platform"('outbox_event');
CREATE POLICY "tenant_wall" ON "outbox_event"
  USING ("kind" = 'TENANT' AND "entity_key" IN (SELECT "key" FROM "tenant"));

SELECT "tollgate_protect_catalogue"('api');
SELECT "tollgate_protect_catalogue"('operation');
SELECT "tollgate_protect_catalogue"('pool');
SELECT "tollgate_protect_catalogue"('default_limit');
SELECT "tollgate_protect_catalogue"('tier');
SELECT "tollgate_protect_catalogue"('tier_version');
SELECT "tollgate_protect_catalogue"('"limit"');
SELECT "tollgate_protect_catalogue"('usage_series');
SELECT "tollgate_protect_catalogue"('policy_revision');

-- An order of a tenant takes stock of an offer, and changes nothing else of it.
SELECT "tollgate_protect_catalogue"('offer');
DROP POLICY "catalogue_update" ON "offer";
CREATE POLICY "catalogue_update" ON "offer" FOR UPDATE USING (true);
CREATE FUNCTION "guard_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT "tollgate_sees_all"() AND to_jsonb(NEW) - 'taken' <> to_jsonb(OLD) - 'taken' THEN
    RAISE EXCEPTION 'a tenant may only take stock of an offer' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "offer_stock_only" BEFORE UPDATE ON "offer" FOR EACH ROW EXECUTE FUNCTION "guard_offer"();
