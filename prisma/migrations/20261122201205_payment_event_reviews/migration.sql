-- CreateEnum
CREATE TYPE "PaymentEventReviewStatus" AS ENUM ('OPEN', 'BOOKED', 'DISMISSED');

-- CreateTable
CREATE TABLE "payment_event_review" (
    "id" TEXT NOT NULL,
    "provider" "PaymentProviderName" NOT NULL,
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "api_version" TEXT,
    "problem" TEXT NOT NULL,
    "payload" JSONB,
    "status" "PaymentEventReviewStatus" NOT NULL DEFAULT 'OPEN',
    "attempts" INTEGER NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "payment_event_review_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "payment_event_review_provider_event_id_key" ON "payment_event_review"("provider", "event_id");

-- CreateIndex
CREATE INDEX "purchase_subscription_ref_idx" ON "purchase"("subscription_ref");
