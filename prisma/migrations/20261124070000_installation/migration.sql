-- CreateTable
CREATE TABLE "installation" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "product_name" TEXT NOT NULL DEFAULT 'Tollgate',
    "accent" TEXT,
    "logo" BYTEA,
    "company_name" TEXT NOT NULL DEFAULT '',
    "address" TEXT NOT NULL DEFAULT '',
    "tax_id" TEXT NOT NULL DEFAULT '',
    "registration" TEXT NOT NULL DEFAULT '',
    "contact" TEXT NOT NULL DEFAULT '',
    "invoice_note" TEXT NOT NULL DEFAULT '',
    "tax_label" TEXT NOT NULL DEFAULT '',
    "tax_basis_points" INTEGER NOT NULL DEFAULT 0,
    "embed_origins" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "installation_singleton" CHECK ("id" = 1)
);

-- CreateTable
CREATE TABLE "billing_details" (
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "tax_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "billing_details_pkey" PRIMARY KEY ("tenant_id")
);

-- AddForeignKey
ALTER TABLE "billing_details" ADD CONSTRAINT "billing_details_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "invoice" ADD COLUMN     "buyer" JSONB,
ADD COLUMN     "seller" JSONB;

INSERT INTO "installation" DEFAULT VALUES;
SELECT "tollgate_protect_catalogue"('installation');
SELECT "tollgate_protect"('billing_details');
