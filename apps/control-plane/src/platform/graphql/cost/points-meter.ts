import { Injectable } from '@nestjs/common';
import { type Check, type Decided, MemoryStore } from '@tollgate/decision-plane/internals';
import { AppConfig } from '../../../config/app-config.js';
import { Log } from '../../logging/log.js';
import { RedisConnections } from '../../redis/redis-connections.js';
import type { Payer, PayerKind } from './payer.js';
import { type PointBucket, pointBuckets, pointsKey } from './point-buckets.js';

/** The state of a payer's bucket, as `extensions.cost` shows it. */
export interface ThrottleStatus {
  maximumAvailable: number;
  currentlyAvailable: number;
  restoreRate: number;
}

/** Points taken for one document. */
export interface Payment {
  allowed: boolean;
  /** Seconds until the same document would be let in; 0 when it was. */
  retryAfterSeconds: number;
  /** Decided by this process alone, because Redis could not be asked. */
  degraded: boolean;
  points: number;
  status: ThrottleStatus;
  check: Check;
}

/**
 * Limits our own API by what documents cost, with our own engine: a compiled token bucket per caller in the counters'
 * Redis. While that is away each process counts in its own memory, so that the console works on and one caller still
 * cannot have it all.
 */
@Injectable()
export class PointsMeter {
  private readonly buckets: Record<PayerKind, PointBucket>;
  private readonly local = new MemoryStore({ maxKeys: 10_000 });
  private isAway = false;

  constructor(
    config: AppConfig,
    private readonly redis: RedisConnections,
    private readonly log: Log,
  ) {
    this.buckets = pointBuckets(config.graphqlPointsPerSecond);
  }

  maxDocumentCost(payer: Payer): number {
    return this.buckets[payer.kind].maxDocumentCost;
  }

  /** Takes `points` if the payer has them; else takes nothing. */
  async take(payer: Payer, points: number): Promise<Payment> {
    const bucket = this.buckets[payer.kind];
    const check: Check = { key: pointsKey(bucket, payer), policy: bucket.limit.policy, cost: points };
    const { decided, degraded } = await this.decide(check);
    const result = decided.checks[0];
    if (result === undefined) throw new Error('The store decided nothing');
    return {
      allowed: decided.allowed,
      retryAfterSeconds: decided.allowed ? 0 : Math.max(1, Math.ceil(result.waitUs / 1_000_000)),
      degraded,
      points,
      status: {
        maximumAvailable: bucket.capacity,
        currentlyAvailable: Math.max(0, result.remaining),
        restoreRate: bucket.restoreRate,
      },
      check,
    };
  }

  /**
   * Gives back what the answer did not cost, or takes what it cost beyond what was asked for, and says where the payer
   * stands then. Does not wait for Redis: the answer is ready.
   */
  settle({ check, points, status, degraded }: Payment, actual: number): ThrottleStatus {
    const store = degraded ? this.local : this.redis.counters;
    const unused = points - actual;
    const checks = [{ ...check, cost: Math.abs(unused) }];
    if (unused > 0) void store.amend({ op: 'refund', checks });
    if (unused < 0) void store.amend({ op: 'charge', checks });
    const left = Math.min(status.maximumAvailable, Math.max(0, status.currentlyAvailable + unused));
    return { ...status, currentlyAvailable: left };
  }

  private async decide(check: Check): Promise<{ decided: Decided; degraded: boolean }> {
    const request = { checks: [check], peek: false };
    const reply = await this.redis.counters.decide(request);
    const wasAway = this.isAway;
    this.isAway = !reply.available;
    if (reply.available) {
      if (wasAway) this.log.info({}, 'GraphQL is limited by what all processes count again');
      return { decided: reply, degraded: false };
    }
    // One line per outage, not one per request.
    if (!wasAway)
      this.log.warn({ reason: reply.reason }, 'GraphQL is limited by what this process counts alone');
    return { decided: this.local.decideNow(request), degraded: true };
  }
}
