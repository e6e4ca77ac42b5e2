import { Global, Module } from '@nestjs/common';
import { ForgetIdempotencyKeysJob } from './forget-idempotency-keys.job.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyKeys } from './idempotency-keys.js';

@Global()
@Module({
  providers: [IdempotencyRepository, IdempotencyKeys, ForgetIdempotencyKeysJob],
  exports: [IdempotencyKeys],
})
export class IdempotencyModule {}
