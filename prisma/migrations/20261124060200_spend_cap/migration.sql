-- Most that a tenant's purchases and renewals may cost per calendar month.
ALTER TABLE "tenant" ADD COLUMN "spend_cap_minor" BIGINT, ADD COLUMN "spend_cap_currency" CHAR(3);
ALTER TABLE "tenant" ADD CONSTRAINT "tenant_spend_cap"
  CHECK (("spend_cap_minor" IS NULL) = ("spend_cap_currency" IS NULL) AND "spend_cap_minor" >= 0);
