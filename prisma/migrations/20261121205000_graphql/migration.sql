-- CreateTable
CREATE TABLE "idempotency_key" (
    "id" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "lease_id" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "answer" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_step" (
    "key_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "outcome" BYTEA,

    CONSTRAINT "idempotency_step_pkey" PRIMARY KEY ("key_id","name")
);

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_key_key_hash_key" ON "idempotency_key"("key_hash");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_key_lease_id_key" ON "idempotency_key"("lease_id");

-- CreateIndex
CREATE INDEX "idempotency_key_expires_at_idx" ON "idempotency_key"("expires_at");

-- AddForeignKey
ALTER TABLE "idempotency_step" ADD CONSTRAINT "idempotency_step_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "idempotency_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
