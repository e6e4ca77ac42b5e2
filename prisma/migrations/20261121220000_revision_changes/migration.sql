-- CreateIndex
CREATE INDEX "audit_entry_change_id_idx" ON "audit_entry"("change_id");
