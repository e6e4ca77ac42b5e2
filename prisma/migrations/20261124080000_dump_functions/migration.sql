-- pg_dump reads tables with an empty search_path, so functions of policies name each other with their schema.
CREATE OR REPLACE FUNCTION "tollgate_scope_is"(VARIADIC "names" text[]) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN split_part(coalesce(current_setting('tollgate.scope', true), ''), '#', 1) = ANY ("names")
    THEN public."tollgate_verified"('tollgate.scope') = ANY ("names") ELSE false END
$$;

CREATE OR REPLACE FUNCTION "tollgate_sees_all"() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT public."tollgate_scope_is"('all')
$$;

CREATE OR REPLACE FUNCTION "tollgate_seen_tenants"() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN coalesce(current_setting('tollgate.scope', true), '') LIKE 'tenants:%'
    THEN string_to_array(substr(public."tollgate_verified"('tollgate.scope'), 9), ',') ELSE ARRAY[]::text[] END
$$;
