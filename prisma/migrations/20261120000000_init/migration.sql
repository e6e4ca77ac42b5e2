-- CreateEnum
CREATE TYPE "OperatorRole" AS ENUM ('OWNER', 'LIMITS_ADMIN', 'SUPPORT', 'BILLING', 'AUDITOR', 'VIEWER');

-- CreateEnum
CREATE TYPE "TenantStatus" AS ENUM ('ACTIVE', 'SUSPENDED');

-- CreateEnum
CREATE TYPE "MemberRole" AS ENUM ('OWNER', 'BUYER', 'DEVELOPER', 'VIEWER');

-- CreateEnum
CREATE TYPE "UnknownOperations" AS ENUM ('ALLOW', 'REFUSE');

-- CreateEnum
CREATE TYPE "TierVersionStatus" AS ENUM ('DRAFT', 'PUBLISHED', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "Algorithm" AS ENUM ('FIXED_WINDOW', 'GCRA');

-- CreateEnum
CREATE TYPE "Alignment" AS ENUM ('CLOCK', 'FIRST_REQUEST');

-- CreateEnum
CREATE TYPE "OnUnavailable" AS ENUM ('SHARE', 'DENY', 'ALLOW');

-- CreateEnum
CREATE TYPE "ServiceTokenKind" AS ENUM ('TGA');

-- CreateEnum
CREATE TYPE "OutboxKind" AS ENUM ('CATALOGUE', 'TENANT');

-- CreateEnum
CREATE TYPE "ActorKind" AS ENUM ('USER', 'TOKEN', 'SYSTEM');

-- CreateTable
CREATE TABLE "user" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "role" "OperatorRole" NOT NULL DEFAULT 'VIEWER',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenant" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "TenantStatus" NOT NULL DEFAULT 'ACTIVE',
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "member" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" "MemberRole" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "member_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "tier_id" TEXT NOT NULL,
    "pinned_version_number" INTEGER,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "unknown_operations" "UnknownOperations" NOT NULL DEFAULT 'ALLOW',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operation" (
    "id" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "cost" BIGINT NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tier" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "rank" INTEGER NOT NULL DEFAULT 0,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tier_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tier_version" (
    "id" TEXT NOT NULL,
    "tier_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "status" "TierVersionStatus" NOT NULL DEFAULT 'DRAFT',
    "note" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "published_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tier_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "limit" (
    "id" TEXT NOT NULL,
    "tier_version_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "api_id" TEXT NOT NULL,
    "operations" TEXT[],
    "per" TEXT[],
    "algorithm" "Algorithm" NOT NULL,
    "limit_max" BIGINT NOT NULL,
    "window_ms" BIGINT NOT NULL,
    "burst" BIGINT,
    "alignment" "Alignment",
    "on_unavailable" "OnUnavailable" NOT NULL DEFAULT 'SHARE',

    CONSTRAINT "limit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service_token" (
    "id" TEXT NOT NULL,
    "kind" "ServiceTokenKind" NOT NULL DEFAULT 'TGA',
    "name" TEXT NOT NULL,
    "public_id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "pepper_version" INTEGER NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "service_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_event" (
    "id" BIGSERIAL NOT NULL,
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "change_id" TEXT NOT NULL,
    "kind" "OutboxKind" NOT NULL,
    "entity_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revision" INTEGER,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy_revision" (
    "number" SERIAL NOT NULL,
    "catalogue_revision" INTEGER NOT NULL,
    "catalogue_hash" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "tenant_count" INTEGER NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_revision_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "actor_kind" "ActorKind" NOT NULL,
    "action" TEXT NOT NULL,
    "entity" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "tenant_key" TEXT,
    "before" JSONB,
    "after" JSONB,
    "reason" TEXT,
    "request_id" TEXT NOT NULL,
    "change_id" TEXT NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_key" ON "session"("token");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "account_user_id_idx" ON "account"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "account_provider_id_account_id_key" ON "account"("provider_id", "account_id");

-- CreateIndex
CREATE INDEX "verification_identifier_idx" ON "verification"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "tenant_key_key" ON "tenant"("key");

-- CreateIndex
CREATE INDEX "tenant_status_idx" ON "tenant"("status");

-- CreateIndex
CREATE UNIQUE INDEX "member_tenant_id_email_key" ON "member"("tenant_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_tenant_id_key" ON "subscription"("tenant_id");

-- CreateIndex
CREATE INDEX "subscription_tier_id_pinned_version_number_idx" ON "subscription"("tier_id", "pinned_version_number");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key" ON "api"("key");

-- CreateIndex
CREATE UNIQUE INDEX "operation_api_id_name_key" ON "operation"("api_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "tier_key_key" ON "tier"("key");

-- CreateIndex
CREATE INDEX "tier_rank_key_idx" ON "tier"("rank", "key");

-- CreateIndex
CREATE UNIQUE INDEX "tier_version_tier_id_number_key" ON "tier_version"("tier_id", "number");

-- CreateIndex
CREATE INDEX "limit_api_id_idx" ON "limit"("api_id");

-- CreateIndex
CREATE UNIQUE INDEX "limit_tier_version_id_api_id_name_key" ON "limit"("tier_version_id", "api_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "service_token_public_id_key" ON "service_token"("public_id");

-- CreateIndex
CREATE INDEX "outbox_event_change_id_idx" ON "outbox_event"("change_id");

-- CreateIndex
CREATE INDEX "audit_entry_tenant_key_id_idx" ON "audit_entry"("tenant_key", "id");

-- CreateIndex
CREATE INDEX "audit_entry_entity_id_idx" ON "audit_entry"("entity", "id");

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member" ADD CONSTRAINT "member_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "tier"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_tier_id_pinned_version_number_fkey" FOREIGN KEY ("tier_id", "pinned_version_number") REFERENCES "tier_version"("tier_id", "number") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "operation" ADD CONSTRAINT "operation_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "api"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tier_version" ADD CONSTRAINT "tier_version_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "tier"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "limit" ADD CONSTRAINT "limit_tier_version_id_fkey" FOREIGN KEY ("tier_version_id") REFERENCES "tier_version"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "limit" ADD CONSTRAINT "limit_api_id_fkey" FOREIGN KEY ("api_id") REFERENCES "api"("id") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What Prisma's schema cannot say ------------------------------------------------------------------------------------

-- The relay looks for what is not published yet; that is nearly always nothing, whatever the table's size.
CREATE INDEX "outbox_event_pending_idx" ON "outbox_event" ("id") WHERE "revision" IS NULL;

-- At most one draft and one published version per tier.
CREATE UNIQUE INDEX "tier_version_one_draft_idx" ON "tier_version" ("tier_id") WHERE "status" = 'DRAFT';
CREATE UNIQUE INDEX "tier_version_one_published_idx" ON "tier_version" ("tier_id") WHERE "status" = 'PUBLISHED';

ALTER TABLE "operation" ADD CONSTRAINT "operation_cost_positive" CHECK ("cost" >= 1);
ALTER TABLE "limit"
  ADD CONSTRAINT "limit_max_safe" CHECK ("limit_max" BETWEEN 1 AND 9007199254740991),
  ADD CONSTRAINT "limit_window_safe" CHECK ("window_ms" BETWEEN 1 AND 31622400000),
  ADD CONSTRAINT "limit_algorithm_fields" CHECK (
    CASE "algorithm"
      WHEN 'FIXED_WINDOW' THEN "alignment" IS NOT NULL AND "burst" IS NULL
      WHEN 'GCRA' THEN "alignment" IS NULL AND "burst" BETWEEN 0 AND 9007199254740991
    END
  );

-- A version that was published never changes, except that a later one archives it.
CREATE FUNCTION "guard_tier_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."status" = 'DRAFT' THEN
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD."status" = 'PUBLISHED' AND NEW."status" = 'ARCHIVED'
     AND to_jsonb(NEW) - 'status' = to_jsonb(OLD) - 'status' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'tier version % is published and cannot change', OLD."id" USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;

CREATE TRIGGER "tier_version_immutable" BEFORE UPDATE OR DELETE ON "tier_version"
  FOR EACH ROW EXECUTE FUNCTION "guard_tier_version"();

-- Only a draft's limits may come, change or go. FOR SHARE: nobody may publish the draft meanwhile. A version that is
-- gone already is a draft being deleted together with its limits.
CREATE FUNCTION "guard_limit"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "version_status" "TierVersionStatus";
  "version_id" text;
BEGIN
  FOREACH "version_id" IN ARRAY ARRAY[
    CASE WHEN TG_OP <> 'INSERT' THEN OLD."tier_version_id" END,
    CASE WHEN TG_OP <> 'DELETE' THEN NEW."tier_version_id" END
  ] LOOP
    SELECT "status" INTO "version_status" FROM "tier_version" WHERE "id" = "version_id" FOR SHARE;
    IF FOUND AND "version_status" <> 'DRAFT' THEN
      RAISE EXCEPTION 'limits of tier version % are published and cannot change', "version_id"
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
  END LOOP;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "limit_immutable" BEFORE INSERT OR UPDATE OR DELETE ON "limit"
  FOR EACH ROW EXECUTE FUNCTION "guard_limit"();

CREATE FUNCTION "guard_audit_entry"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries cannot change' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;

CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE ON "audit_entry"
  FOR EACH ROW EXECUTE FUNCTION "guard_audit_entry"();
