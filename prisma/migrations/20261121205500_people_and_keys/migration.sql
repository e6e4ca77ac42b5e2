-- CreateEnum
CREATE TYPE "ApiKeyMode" AS ENUM ('LIVE', 'TEST');

-- AlterEnum
ALTER TYPE "TenantStatus" ADD VALUE 'ARCHIVED';

-- CreateTable
CREATE TABLE "invitation" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT,
    "email" TEXT NOT NULL,
    "role" "MemberRole",
    "operator_role" "OperatorRole",
    "sign_up_key" TEXT,
    "sign_up_name" TEXT,
    "token_hash" TEXT NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "public_id" TEXT NOT NULL,
    "mode" "ApiKeyMode" NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_secret" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "pepper_version" INTEGER NOT NULL,
    "last_four" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ends_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_secret_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_threshold" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "api_key" TEXT NOT NULL DEFAULT '',
    "limit_name" TEXT NOT NULL DEFAULT '',
    "percents" INTEGER[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_threshold_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invitation_token_hash_key" ON "invitation"("token_hash");

-- CreateIndex
CREATE INDEX "invitation_tenant_id_id_idx" ON "invitation"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "invitation_email_idx" ON "invitation"("email");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_public_id_key" ON "api_key"("public_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_id_tenant_id_key" ON "api_key"("id", "tenant_id");

-- CreateIndex
CREATE INDEX "api_key_tenant_id_id_idx" ON "api_key"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "api_key_secret_api_key_id_idx" ON "api_key_secret"("api_key_id");

-- CreateIndex
CREATE UNIQUE INDEX "alert_threshold_tenant_id_api_key_limit_name_key" ON "alert_threshold"("tenant_id", "api_key", "limit_name");

-- AddForeignKey
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key_secret" ADD CONSTRAINT "api_key_secret_api_key_id_tenant_id_fkey" FOREIGN KEY ("api_key_id", "tenant_id") REFERENCES "api_key"("id", "tenant_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_threshold" ADD CONSTRAINT "alert_threshold_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One open invitation for an address in one place. What has expired is open until it is put aside for a new one.
CREATE UNIQUE INDEX "invitation_open" ON "invitation" (coalesce("tenant_id", ''), ("sign_up_key" IS NULL), "email")
  WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;

-- An invitation asks for one thing: a place in a tenant, a role as an operator, or a tenant of one's own.
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_asks_one_thing" CHECK (
  ("tenant_id" IS NOT NULL AND "role" IS NOT NULL AND "operator_role" IS NULL AND "sign_up_key" IS NULL)
  OR ("tenant_id" IS NULL AND "role" IS NULL AND "operator_role" IS NOT NULL AND "sign_up_key" IS NULL)
  OR ("tenant_id" IS NULL AND "role" IS NULL AND "operator_role" IS NULL AND "sign_up_key" IS NOT NULL)
);

SELECT "tollgate_protect"('invitation');
SELECT "tollgate_protect"('api_key');
SELECT "tollgate_protect"('api_key_secret');
SELECT "tollgate_protect"('alert_threshold');
