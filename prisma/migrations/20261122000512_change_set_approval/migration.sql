-- AlterTable
ALTER TABLE "change_set" ADD COLUMN     "needs_approval" BOOLEAN NOT NULL DEFAULT false;
