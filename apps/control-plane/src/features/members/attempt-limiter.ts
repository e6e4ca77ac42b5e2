import { Injectable } from '@nestjs/common';
import {
  type Check,
  compileLimit,
  counterKey,
  dimensionValue,
  MemoryStore,
  ownTag,
} from '@tollgate/decision-plane';
import { ApiError } from '../../platform/errors/api-error.js';
import { RedisConnections } from '../../platform/redis/redis-connections.js';

/** Attempts from one address within the hour, at each of: looking at, accepting, signing up. */
const ATTEMPTS_PER_HOUR = 30;
const HOUR_MS = 3_600_000;

/**
 * Slows down whoever guesses. An attempt is counted before it is looked at, by our own engine; while the counters cannot be
 * asked, by this process alone.
 */
@Injectable()
export class AttemptLimiter {
  private readonly limit = attemptLimit();
  private readonly local = new MemoryStore({ maxKeys: 10_000 });

  constructor(private readonly redis: RedisConnections) {}

  /** @throws ApiError THROTTLED */
  async take(what: 'invitation' | 'sign-up' | 'password', who: string): Promise<void> {
    const value = dimensionValue('ip', who) ?? dimensionValue('who', who) ?? '~';
    const check: Check = {
      key: counterKey(ownTag('people'), this.limit.keyStem, [`=${what}`, value]),
      policy: this.limit.policy,
      cost: 1,
    };
    const reply = await this.redis.counters.decide({ checks: [check], peek: false });
    const decided = reply.available ? reply : this.local.decideNow({ checks: [check], peek: false });
    if (decided.allowed) return;
    const waitS = Math.max(1, Math.ceil((decided.checks[0]?.waitUs ?? 0) / 1_000_000));
    throw new ApiError('THROTTLED', 'Too many attempts. Try again later.', { retryAfter: waitS });
  }
}

function attemptLimit() {
  const compiled = compileLimit({
    name: 'attempts',
    api: 'people',
    operations: [],
    per: ['what', 'who'],
    algorithm: 'sliding_window_counter',
    limit: ATTEMPTS_PER_HOUR,
    windowMs: HOUR_MS,
    buckets: 12,
    onUnavailable: 'share',
  });
  if (!compiled.ok) throw new Error(compiled.errors[0]?.message);
  return compiled.limit;
}
