-- AlterTable
ALTER TABLE "change_set" ADD COLUMN     "scheduled_by_id" TEXT;

-- AlterTable
ALTER TABLE "invitation" ADD COLUMN     "inviter_id" TEXT;
