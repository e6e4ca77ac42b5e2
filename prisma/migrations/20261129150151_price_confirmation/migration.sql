-- The digits of minor units follow the payment provider (docs/adr/0070-minor-units.md). Prices of the first currencies were shown as
-- 100 times of what Stripe charges, and others cannot be charged unless their last digit is 0. A person has to confirm these. Offers that
-- the previous version creates during the upgrade need it too, hence the default.
ALTER TABLE "offer" ADD COLUMN     "is_price_confirmed" BOOLEAN NOT NULL DEFAULT false;

-- The trigger guards against tenants; a migration has no scope.
ALTER TABLE "offer" DISABLE TRIGGER "offer_stock_only";
UPDATE "offer" SET "is_price_confirmed" = true
WHERE "currency" NOT IN ('AFN', 'ALL', 'COP', 'HUF', 'IDR', 'ISK', 'LAK', 'LBP', 'MMK', 'PKR', 'SLL', 'SOS', 'UGX', 'YER')
  AND NOT ("currency" IN ('BHD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') AND "price_minor" % 10 <> 0);
ALTER TABLE "offer" ENABLE TRIGGER "offer_stock_only";
