-- Public names of denials and of tenants that a rollout pins to their version.
ALTER TYPE "UsageOutcome" RENAME VALUE 'REFUSED' TO 'DENIED';
ALTER TYPE "UsageOutcome" RENAME VALUE 'SHADOW_REFUSED' TO 'SHADOW_DENIED';
ALTER TYPE "UsageOutcome" RENAME VALUE 'POOL_REFUSED' TO 'POOL_DENIED';
ALTER TYPE "UsageOutcome" RENAME VALUE 'DEGRADED_REFUSED' TO 'DEGRADED_DENIED';
ALTER TABLE "subscription" RENAME COLUMN "held_back" TO "pinned_by_rollout";
ALTER TABLE "subscription" RENAME CONSTRAINT "subscription_held_back" TO "subscription_pinned_by_rollout";
