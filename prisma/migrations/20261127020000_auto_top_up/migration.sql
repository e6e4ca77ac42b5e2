-- CreateEnum
CREATE TYPE "AutoTopUpStatus" AS ENUM ('ON', 'PAUSED', 'OFF');

-- CreateEnum
CREATE TYPE "AutoTopUpStop" AS ENUM ('CUSTOMER', 'OPERATOR', 'PAYMENT_FAILED', 'TERMS_CHANGED', 'NOT_FOR_SALE');

-- AlterTable
ALTER TABLE "purchase" ADD COLUMN     "auto_top_up_id" TEXT;

-- CreateTable
CREATE TABLE "auto_top_up" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "api_key" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "offer_id" TEXT NOT NULL,
    "status" "AutoTopUpStatus" NOT NULL,
    "stop_reason" "AutoTopUpStop",
    "stop_detail" TEXT,
    "threshold_units" BIGINT,
    "threshold_percent" INTEGER,
    "cap_minor" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "agreed_price_minor" BIGINT NOT NULL,
    "agreed_units" BIGINT NOT NULL,
    "agreed_valid_days" INTEGER NOT NULL,
    "provider" "PaymentProviderName" NOT NULL,
    "card_ref" TEXT NOT NULL,
    "card_label" TEXT NOT NULL,
    "ordered_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auto_top_up_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "test_saved_card" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "return_url" TEXT NOT NULL,
    "card" "TestCard",
    "last_four" TEXT,

    CONSTRAINT "test_saved_card_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "purchase_auto_top_up_id_id_idx" ON "purchase"("auto_top_up_id", "id");

-- CreateIndex
CREATE INDEX "auto_top_up_due_at_idx" ON "auto_top_up"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "auto_top_up_tenant_id_api_key_limit_name_key" ON "auto_top_up"("tenant_id", "api_key", "limit_name");

-- CreateIndex
CREATE INDEX "test_saved_card_tenant_id_id_idx" ON "test_saved_card"("tenant_id", "id");

-- AddForeignKey
ALTER TABLE "purchase" ADD CONSTRAINT "purchase_auto_top_up_id_fkey" FOREIGN KEY ("auto_top_up_id") REFERENCES "auto_top_up"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auto_top_up" ADD CONSTRAINT "auto_top_up_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auto_top_up" ADD CONSTRAINT "auto_top_up_offer_id_fkey" FOREIGN KEY ("offer_id") REFERENCES "offer"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- One order at a time, whatever the workers do.
CREATE UNIQUE INDEX "purchase_auto_top_up_pending" ON "purchase"("auto_top_up_id") WHERE "status" = 'PENDING';

SELECT "tollgate_protect"('auto_top_up');
SELECT "tollgate_protect"('test_saved_card');
