-- AlterTable
ALTER TABLE "tenant" ADD COLUMN "floors" JSONB NOT NULL DEFAULT '[]';
