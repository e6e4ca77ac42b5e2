ALTER TABLE "usage_minute" ADD COLUMN     "candidate_count" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied_units" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "usage_hour" ADD COLUMN     "candidate_count" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied_units" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "usage_day" ADD COLUMN     "candidate_count" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied_units" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "traffic_minute" ADD COLUMN     "candidate_count" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "candidate_denied_units" BIGINT NOT NULL DEFAULT 0;
