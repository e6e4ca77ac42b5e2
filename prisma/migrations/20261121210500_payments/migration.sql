-- CreateEnum
CREATE TYPE "OfferKind" AS ENUM ('UPGRADE', 'TOPUP');

-- CreateEnum
CREATE TYPE "OfferStatus" AS ENUM ('DRAFT', 'ACTIVE', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "BillingInterval" AS ENUM ('MONTH', 'YEAR');

-- CreateEnum
CREATE TYPE "PaymentProviderName" AS ENUM ('STRIPE', 'TEST', 'INVOICE');

-- CreateEnum
CREATE TYPE "PurchaseStatus" AS ENUM ('PENDING', 'HELD', 'ACTIVE', 'GRACE', 'ENDED', 'REFUNDED', 'DISPUTED', 'EXPIRED', 'REJECTED');

-- CreateEnum
CREATE TYPE "MoneyAccount" AS ENUM ('CASH', 'REVENUE', 'HELD', 'DISPUTED');

-- CreateEnum
CREATE TYPE "InvoiceStatus" AS ENUM ('OPEN', 'PAID', 'VOID');

-- CreateEnum
CREATE TYPE "TestCard" AS ENUM ('PAYS', 'DISPUTES', 'FAILS_RENEWAL');

-- CreateTable
CREATE TABLE "offer" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "kind" "OfferKind" NOT NULL,
    "status" "OfferStatus" NOT NULL DEFAULT 'DRAFT',
    "price_minor" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "interval" "BillingInterval",
    "valid_days" INTEGER,
    "grace_days" INTEGER NOT NULL DEFAULT 7,
    "effects" JSONB NOT NULL,
    "tier_keys" TEXT[],
    "max_quantity" INTEGER NOT NULL DEFAULT 1,
    "stock" INTEGER,
    "taken" INTEGER NOT NULL DEFAULT 0,
    "carry_over" "CarryOver" NOT NULL DEFAULT 'KEEP',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "offer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "purchase" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "offer_id" TEXT NOT NULL,
    "provider" "PaymentProviderName" NOT NULL,
    "quantity" INTEGER NOT NULL,
    "kind" "OfferKind" NOT NULL,
    "label" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "interval" "BillingInterval",
    "valid_days" INTEGER,
    "grace_days" INTEGER NOT NULL,
    "effects" JSONB NOT NULL,
    "carry_over" "CarryOver" NOT NULL,
    "customer_ref" TEXT,
    "checkout_ref" TEXT,
    "checkout_url" TEXT,
    "subscription_ref" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "status" "PurchaseStatus" NOT NULL DEFAULT 'PENDING',
    "renews" BOOLEAN NOT NULL DEFAULT false,
    "paid_through" TIMESTAMPTZ(3),
    "grace_ends_at" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "holds_stock" BOOLEAN NOT NULL DEFAULT false,
    "granted_since" TIMESTAMPTZ(3),
    "granted_until" TIMESTAMPTZ(3),
    "stop_due" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "purchase_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "purchase_event" (
    "source" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "purchase_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "facts" JSONB NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purchase_event_pkey" PRIMARY KEY ("source","id")
);

-- CreateTable
CREATE TABLE "money_entry" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "purchase_id" TEXT NOT NULL,
    "account" "MoneyAccount" NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "money_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice" (
    "id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "purchase_id" TEXT NOT NULL,
    "period" INTEGER NOT NULL,
    "status" "InvoiceStatus" NOT NULL DEFAULT 'OPEN',
    "amount_minor" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "reference" TEXT,

    CONSTRAINT "invoice_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoice_counter" (
    "id" INTEGER NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "invoice_counter_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_customer" (
    "tenant_id" TEXT NOT NULL,
    "provider" "PaymentProviderName" NOT NULL,
    "ref" TEXT NOT NULL,

    CONSTRAINT "payment_customer_pkey" PRIMARY KEY ("tenant_id","provider")
);

-- CreateTable
CREATE TABLE "test_clock" (
    "tenant_id" TEXT NOT NULL,
    "now" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "test_clock_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "test_order" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "purchase_id" TEXT NOT NULL,
    "customer_ref" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "interval" "BillingInterval",
    "return_url" TEXT NOT NULL,
    "card" "TestCard",
    "anchor_at" TIMESTAMPTZ(3),
    "next_charge_at" TIMESTAMPTZ(3),

    CONSTRAINT "test_order_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "test_charge" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "refunded_minor" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "test_charge_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "test_event" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "test_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "offer_key_key" ON "offer"("key");

-- CreateIndex
CREATE INDEX "offer_status_key_idx" ON "offer"("status", "key");

-- CreateIndex
CREATE INDEX "purchase_tenant_id_id_idx" ON "purchase"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "purchase_due_at_idx" ON "purchase"("due_at");

-- CreateIndex
CREATE INDEX "purchase_offer_id_idx" ON "purchase"("offer_id");

-- CreateIndex
CREATE INDEX "purchase_event_purchase_id_idx" ON "purchase_event"("purchase_id");

-- CreateIndex
CREATE INDEX "money_entry_purchase_id_idx" ON "money_entry"("purchase_id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_number_key" ON "invoice"("number");

-- CreateIndex
CREATE INDEX "invoice_tenant_id_number_idx" ON "invoice"("tenant_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_purchase_id_period_key" ON "invoice"("purchase_id", "period");

-- CreateIndex
CREATE UNIQUE INDEX "payment_customer_provider_ref_key" ON "payment_customer"("provider", "ref");

-- CreateIndex
CREATE UNIQUE INDEX "test_order_purchase_id_key" ON "test_order"("purchase_id");

-- CreateIndex
CREATE INDEX "test_order_next_charge_at_idx" ON "test_order"("next_charge_at");

-- CreateIndex
CREATE INDEX "test_charge_order_id_idx" ON "test_charge"("order_id");

-- CreateIndex
CREATE INDEX "test_event_delivered_at_id_idx" ON "test_event"("delivered_at", "id");

-- AddForeignKey
ALTER TABLE "purchase" ADD CONSTRAINT "purchase_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase" ADD CONSTRAINT "purchase_offer_id_fkey" FOREIGN KEY ("offer_id") REFERENCES "offer"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_event" ADD CONSTRAINT "purchase_event_purchase_id_fkey" FOREIGN KEY ("purchase_id") REFERENCES "purchase"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "money_entry" ADD CONSTRAINT "money_entry_purchase_id_fkey" FOREIGN KEY ("purchase_id") REFERENCES "purchase"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_purchase_id_fkey" FOREIGN KEY ("purchase_id") REFERENCES "purchase"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "test_charge" ADD CONSTRAINT "test_charge_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "test_order"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a purchase came to can be read off its events: each is taken once, none is changed or taken back.
REVOKE UPDATE, DELETE ON "purchase_event", "money_entry" FROM "tollgate_app";

CREATE FUNCTION "tollgate_refuse_rewriting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "purchase_event_append_only" BEFORE UPDATE OR DELETE ON "purchase_event"
  FOR EACH ROW EXECUTE FUNCTION "tollgate_refuse_rewriting"();
CREATE TRIGGER "money_entry_append_only" BEFORE UPDATE OR DELETE ON "money_entry"
  FOR EACH ROW EXECUTE FUNCTION "tollgate_refuse_rewriting"();

-- Both sides of a movement are in one transaction: at its end the entries of a purchase sum to zero.
CREATE FUNCTION "tollgate_money_sums_to_zero"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (
    SELECT sum("amount_minor") FROM "money_entry"
    WHERE "purchase_id" = NEW."purchase_id" AND "currency" = NEW."currency"
  ) <> 0 THEN
    RAISE EXCEPTION 'The money of purchase % does not sum to zero', NEW."purchase_id" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "money_entry_sums_to_zero" AFTER INSERT ON "money_entry"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "tollgate_money_sums_to_zero"();

ALTER TABLE "offer"
  ADD CONSTRAINT "offer_stock_not_oversold" CHECK ("taken" >= 0 AND ("stock" IS NULL OR "taken" <= "stock")),
  ADD CONSTRAINT "offer_price_positive" CHECK ("price_minor" > 0);

INSERT INTO "invoice_counter" ("id", "last") VALUES (1, 0);
-- A number that was given is never given again, and none is left out: neither can an invoice be removed.
REVOKE DELETE ON "invoice", "purchase" FROM "tollgate_app";

SELECT "tollgate_protect"('purchase');
SELECT "tollgate_protect"('purchase_event');
SELECT "tollgate_protect"('money_entry');
SELECT "tollgate_protect"('invoice');
SELECT "tollgate_protect"('payment_customer');
SELECT "tollgate_protect"('test_clock');
SELECT "tollgate_protect"('test_order');
SELECT "tollgate_protect"('test_charge');
SELECT "tollgate_protect"('test_event');
