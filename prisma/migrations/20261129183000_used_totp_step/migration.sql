-- AlterTable
ALTER TABLE "two_factor" ADD COLUMN "last_used_step" INTEGER;
