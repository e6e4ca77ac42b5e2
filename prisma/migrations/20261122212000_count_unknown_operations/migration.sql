-- ALLOW was the default, and bypassed the limits on every operation of an API: APIs that have it count from now on.
CREATE TYPE "UnknownOperations_new" AS ENUM ('COUNT', 'ALLOW', 'REFUSE');
ALTER TABLE "api" ALTER COLUMN "unknown_operations" DROP DEFAULT;
ALTER TABLE "api" ALTER COLUMN "unknown_operations" TYPE "UnknownOperations_new"
  USING (CASE "unknown_operations"::text WHEN 'ALLOW' THEN 'COUNT' ELSE "unknown_operations"::text END::"UnknownOperations_new");
ALTER TYPE "UnknownOperations" RENAME TO "UnknownOperations_old";
ALTER TYPE "UnknownOperations_new" RENAME TO "UnknownOperations";
DROP TYPE "UnknownOperations_old";
ALTER TABLE "api" ALTER COLUMN "unknown_operations" SET DEFAULT 'COUNT';
