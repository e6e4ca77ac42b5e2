-- AlterTable
ALTER TABLE "tenant" ADD COLUMN "parent_key" TEXT;

-- CreateIndex
CREATE INDEX "tenant_parent_key_key_idx" ON "tenant"("parent_key", "key");

-- AddForeignKey
ALTER TABLE "tenant" ADD CONSTRAINT "tenant_parent_key_fkey" FOREIGN KEY ("parent_key") REFERENCES "tenant"("key") ON DELETE RESTRICT ON UPDATE RESTRICT;
