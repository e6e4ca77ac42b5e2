-- What a revision published for a tenant, so that Why? shows the limits of a past decision.
CREATE TABLE "policy_tenant" (
    "tenant_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "tier" TEXT NOT NULL,
    "pinned_version" INTEGER,
    "adjustments" JSONB NOT NULL,
    "scheduled" JSONB NOT NULL,

    CONSTRAINT "policy_tenant_pkey" PRIMARY KEY ("tenant_id","revision")
);

CREATE INDEX "policy_tenant_revision_idx" ON "policy_tenant"("revision");

SELECT set_config('tollgate.scope', 'all', false);

INSERT INTO "policy_tenant"
SELECT s."tenant_id", (SELECT max("number") FROM "policy_revision"), t."key", s."pinned_version_number", s."adjustments",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('at', c."at", 'adjustments', c."adjustments") ORDER BY c."at"), '[]')
   FROM "scheduled_change" AS c WHERE c."subscription_id" = s."id")
FROM "subscription" AS s JOIN "tier" AS t ON t."id" = s."tier_id"
WHERE EXISTS (SELECT 1 FROM "policy_revision");

SELECT set_config('tollgate.scope', '', false);

SELECT "tollgate_protect"('policy_tenant');
