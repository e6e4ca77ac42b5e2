-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "warm_up" JSONB NOT NULL DEFAULT '[]';
