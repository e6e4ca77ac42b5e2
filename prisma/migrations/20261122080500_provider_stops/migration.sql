-- AlterTable
ALTER TABLE "purchase" ADD COLUMN     "stop_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "stop_error" TEXT,
ADD COLUMN     "stop_retry_at" TIMESTAMPTZ(3);
