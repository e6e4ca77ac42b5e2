-- AlterTable
ALTER TABLE "pool" ADD COLUMN     "warm_up_ms" INTEGER,
ADD COLUMN     "warm_up_start_percent" INTEGER;

-- Both or neither.
ALTER TABLE "pool"
  ADD CONSTRAINT "pool_warm_up" CHECK (num_nulls("warm_up_ms", "warm_up_start_percent") IN (0, 2)),
  ADD CONSTRAINT "pool_warm_up_ms" CHECK ("warm_up_ms" BETWEEN 1000 AND 3600000),
  ADD CONSTRAINT "pool_warm_up_start_percent" CHECK ("warm_up_start_percent" BETWEEN 1 AND 99);
