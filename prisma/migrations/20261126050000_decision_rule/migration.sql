-- AlterTable
ALTER TABLE "decision_sample" ADD COLUMN     "rule_id" TEXT;
