-- A limit of 0 blocks its operations.
ALTER TABLE "limit" DROP CONSTRAINT "limit_max_safe",
  ADD CONSTRAINT "limit_max_safe" CHECK ("limit_max" BETWEEN 0 AND 9007199254740991);
ALTER TABLE "default_limit" DROP CONSTRAINT "default_limit_max_safe",
  ADD CONSTRAINT "default_limit_max_safe" CHECK ("limit_max" BETWEEN 0 AND 9007199254740991);
