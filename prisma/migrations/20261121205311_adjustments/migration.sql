-- CreateEnum
CREATE TYPE "EntitlementKind" AS ENUM ('GRANT', 'END');

-- CreateEnum
CREATE TYPE "EntitlementSource" AS ENUM ('UPGRADE', 'TOPUP');

-- CreateEnum
CREATE TYPE "EntitlementCause" AS ENUM ('PURCHASE', 'RENEWAL', 'GRANT', 'REVOKED', 'CANCELLED', 'REPLACED', 'PAYMENT_FAILED', 'REFUNDED', 'DISPUTED');

-- CreateEnum
CREATE TYPE "LimitClass" AS ENUM ('RATE', 'QUOTA');

-- CreateEnum
CREATE TYPE "OverrideKind" AS ENUM ('OVERRIDE', 'BOOST');

-- CreateEnum
CREATE TYPE "QuotaRequestStatus" AS ENUM ('OPEN', 'COUNTERED', 'APPROVED', 'DECLINED', 'WITHDRAWN');

-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "adjustments" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "subscription_move" ADD COLUMN     "adjustments" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "subscription_station" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "generation" INTEGER NOT NULL,
    "carry_over" "CarryOver" NOT NULL,
    "adjustments" JSONB NOT NULL,

    CONSTRAINT "subscription_station_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "entitlement" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" "EntitlementKind" NOT NULL,
    "grant_id" TEXT,
    "source" "EntitlementSource" NOT NULL,
    "cause" "EntitlementCause" NOT NULL,
    "purchase_id" TEXT,
    "label" TEXT NOT NULL,
    "api_key" TEXT,
    "limit_name" TEXT,
    "applies_to" "LimitClass",
    "effect" JSONB NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "carry_over" "CarryOver" NOT NULL,
    "actor" TEXT NOT NULL,
    "reason" TEXT,
    "change_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "entitlement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "override" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" "OverrideKind" NOT NULL,
    "api_key" TEXT,
    "limit_name" TEXT,
    "applies_to" "LimitClass",
    "effect" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "carry_over" "CarryOver" NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "removed_by" TEXT,

    CONSTRAINT "override_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "quota_request" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "status" "QuotaRequestStatus" NOT NULL DEFAULT 'OPEN',
    "api_key" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "current" BIGINT NOT NULL,
    "wanted" BIGINT NOT NULL,
    "why" TEXT NOT NULL,
    "offered" BIGINT,
    "until" TIMESTAMPTZ(3),
    "answer" TEXT,
    "granted_id" TEXT,
    "requested_by" TEXT NOT NULL,
    "decided_by" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quota_request_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "subscription_station_at_idx" ON "subscription_station"("at");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_station_subscription_id_at_key" ON "subscription_station"("subscription_id", "at");

-- CreateIndex
CREATE INDEX "entitlement_tenant_id_id_idx" ON "entitlement"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "entitlement_purchase_id_idx" ON "entitlement"("purchase_id");

-- CreateIndex
CREATE INDEX "entitlement_grant_id_idx" ON "entitlement"("grant_id");

-- CreateIndex
CREATE INDEX "override_tenant_id_id_idx" ON "override"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "override_ends_at_idx" ON "override"("ends_at");

-- CreateIndex
CREATE INDEX "quota_request_tenant_id_id_idx" ON "quota_request"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "quota_request_status_id_idx" ON "quota_request"("status", "id");

-- AddForeignKey
ALTER TABLE "subscription_station" ADD CONSTRAINT "subscription_station_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entitlement" ADD CONSTRAINT "entitlement_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entitlement" ADD CONSTRAINT "entitlement_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "entitlement"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "override" ADD CONSTRAINT "override_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quota_request" ADD CONSTRAINT "quota_request_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

SELECT "tollgate_protect"('subscription_station');
SELECT "tollgate_protect"('entitlement');
SELECT "tollgate_protect"('override');
SELECT "tollgate_protect"('quota_request');

-- What was sold and given, and what ended it, stays readable as it was written.
CREATE FUNCTION "guard_entitlement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entitlements cannot change; write a row that ends one' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;

CREATE TRIGGER "entitlement_append_only" BEFORE UPDATE OR DELETE ON "entitlement"
  FOR EACH ROW EXECUTE FUNCTION "guard_entitlement"();

REVOKE UPDATE, DELETE ON "entitlement" FROM "tollgate_app";
REVOKE DELETE ON "override", "quota_request" FROM "tollgate_app";
