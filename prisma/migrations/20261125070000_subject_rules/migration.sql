-- CreateTable
CREATE TABLE "subject_rule" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT,
    "dimension" TEXT NOT NULL,
    "pattern" TEXT NOT NULL,
    "api_key" TEXT,
    "limit_name" TEXT,
    "effect" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "removed_by" TEXT,
    "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE',

    CONSTRAINT "subject_rule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "subject_rule_tenant_id_removed_at_id_idx" ON "subject_rule"("tenant_id", "removed_at", "id");

-- AddForeignKey
ALTER TABLE "subject_rule" ADD CONSTRAINT "subject_rule_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Rules of the platform, without a tenant, are seen by those who see all tenants.
SELECT "tollgate_protect"('subject_rule');
