-- Transactions that have appended entries under the former locks end first: with the new ones, nobody would wait for them, and the next
-- entry of their chain would take the same sequence. A transaction that has read its head but not written yet is not waited for; the
-- unique index on chain and sequence rejects one of the two. ACCESS EXCLUSIVE would include it, but also wait for each reader, such as pg_dump.
LOCK TABLE "audit_entry" IN SHARE ROW EXCLUSIVE MODE;

-- A lock per chain would fill the table of locks, which all sessions share, if a change has thousands of tenants. Chains therefore
-- share 1,024 locks, in the key space of two numbers, which no other advisory lock uses. They are taken in one order everywhere, so
-- that changes of several chains never wait for each other in a circle.
CREATE OR REPLACE FUNCTION "tollgate_audit_heads"("chains" text[])
RETURNS TABLE ("chain" text, "tenant_id" text, "sequence" bigint, "hash" text) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7164, lock."key")
    FROM (SELECT DISTINCT hashtext(c) & 1023 AS "key" FROM unnest("chains") AS c ORDER BY 1) AS lock;
  RETURN QUERY
    SELECT c, "tenant"."id", coalesce(last."sequence", 0), coalesce(last."hash", repeat('0', 64))
    FROM unnest("chains") AS c
    LEFT JOIN "tenant" ON "tenant"."key" = c
    LEFT JOIN LATERAL (
      SELECT entry."sequence", entry."hash" FROM "audit_entry" AS entry
      WHERE entry."chain" = c ORDER BY entry."sequence" DESC LIMIT 1
    ) AS last ON true;
END $$;
