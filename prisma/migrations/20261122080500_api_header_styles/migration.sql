-- CreateEnum
CREATE TYPE "HeaderStyle" AS ENUM ('DRAFT_11', 'DRAFT_3', 'X_RATELIMIT');

-- AlterTable
ALTER TABLE "api" ADD COLUMN     "header_styles" "HeaderStyle"[] DEFAULT ARRAY['DRAFT_11']::"HeaderStyle"[];
