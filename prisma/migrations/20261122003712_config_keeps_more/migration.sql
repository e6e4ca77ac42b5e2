-- AlterTable
ALTER TABLE "alert_threshold" ADD COLUMN     "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE';

-- AlterTable
ALTER TABLE "offer" ADD COLUMN     "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE';

-- AlterTable
ALTER TABLE "override" ADD COLUMN     "managed_by" "ManagedBy" NOT NULL DEFAULT 'CONSOLE';
