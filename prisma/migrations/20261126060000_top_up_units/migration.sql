-- AlterEnum
ALTER TYPE "EntitlementCause" ADD VALUE 'CARRIED';

-- AlterTable
ALTER TABLE "entitlement" ADD COLUMN "units_expire_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "entitlement_units_expire_at_idx" ON "entitlement"("units_expire_at");
