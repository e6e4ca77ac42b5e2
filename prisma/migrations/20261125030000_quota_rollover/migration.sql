-- AlterEnum
ALTER TYPE "EntitlementCause" ADD VALUE 'ROLLOVER';

-- CreateTable
CREATE TABLE "quota_rollover" (
    "tenant_id" TEXT NOT NULL,
    "api" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "period_end" TIMESTAMPTZ(3) NOT NULL,
    "used" BIGINT NOT NULL,
    "unused" BIGINT NOT NULL,
    "granted" BIGINT NOT NULL,
    "entitlement_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quota_rollover_pkey" PRIMARY KEY ("tenant_id","api","limit_name","period_end")
);

-- CreateIndex
CREATE INDEX "quota_rollover_period_end_idx" ON "quota_rollover"("period_end");

-- AddForeignKey
ALTER TABLE "quota_rollover" ADD CONSTRAINT "quota_rollover_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

SELECT "tollgate_protect"('quota_rollover');
