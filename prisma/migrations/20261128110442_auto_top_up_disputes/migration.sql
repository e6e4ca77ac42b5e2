-- AlterEnum
ALTER TYPE "AutoTopUpStop" ADD VALUE 'DISPUTED';

-- AlterTable
ALTER TABLE "auto_top_up" ADD COLUMN     "known_disputes" INTEGER NOT NULL DEFAULT 0;
