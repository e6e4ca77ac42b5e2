import { ScheduledJob } from '../jobs/scheduled-job.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Deletes keys that are older than a day, with their steps. */
@ScheduledJob({ name: 'forget-idempotency-keys', everyMs: 600_000 })
export class ForgetIdempotencyKeysJob {
  constructor(private readonly repository: IdempotencyRepository) {}

  run(): Promise<number> {
    return this.repository.forget();
  }
}
