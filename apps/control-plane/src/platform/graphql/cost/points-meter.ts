import { Injectable } from '@nestjs/common';
import {
  type Check,
  type CompiledLimit,
  compileLimit,
  counterKey,
  type Decided,
  dimensionValue,
  MemoryStore,
  ownTag,
} from '@tollgate/decision-plane/internals';
import { AppConfig } from '../../../config/app-config.js';
import type { Actor } from '../../access/actor.js';
import { Log } from '../../log.js';
import { RedisConnections } from '../../redis.js';

export type PayerKind = 'operator' | 'token' | 'member' | 'address';

/** Whose points a document is paid with. */
export interface Payer {
  kind: PayerKind;
  /** How it is written in a counter's key; differs between any two payers of a kind. */
  keyValue: string;
}

/** The actor; or, before anybody has signed in, the address that the document came from. */
export function payerOf(actor: Actor | undefined, address: string): Payer {
  if (actor === undefined) {
    // Invalid addresses share one bucket, so that nonsense does not create new ones.
    return { kind: 'address', keyValue: dimensionValue('ip', address) ?? '~' };
  }
  return { kind: kindOf(actor), keyValue: dimensionValue('actor', actor.id) ?? '=' };
}

function kindOf({ kind, role }: Actor): PayerKind {
  if (kind === 'TOKEN') return 'token';
  return role === null ? 'member' : 'operator';
}

/** Seconds of rate in a full bucket. */
const CAPACITY_SECONDS = 20;

/** Maximum cost of a single document, independent of the remaining points. */
const MAX_DOCUMENT_COST = 5000;

/** Share of the configured rate by kind of payer. */
const SHARE: Record<PayerKind, number> = { operator: 1, token: 1, member: 0.2, address: 0.1 };

/** The bucket of points of one kind of payer. */
export interface PointBucket {
  limit: CompiledLimit;
  /** Points in a full bucket. */
  capacity: number;
  /** Points that come back each second. */
  restoreRate: number;
  /** The most that one document may cost. */
  maxDocumentCost: number;
}

/** Compiles the limits on our own API, as any limit of a customer is compiled. */
export function pointBuckets(pointsPerSecond: number): Record<PayerKind, PointBucket> {
  const bucketOf = (kind: PayerKind) =>
    pointBucket(kind, Math.max(1, Math.floor(pointsPerSecond * SHARE[kind])));
  return {
    operator: bucketOf('operator'),
    token: bucketOf('token'),
    member: bucketOf('member'),
    address: bucketOf('address'),
  };
}

function pointBucket(kind: PayerKind, restoreRate: number): PointBucket {
  const capacity = restoreRate * CAPACITY_SECONDS;
  const compiled = compileLimit({
    name: `points-${kind}`,
    api: 'graphql',
    operations: [],
    per: ['actor'],
    algorithm: 'token_bucket',
    limit: restoreRate,
    windowMs: 1000,
    capacity,
    refill: 'continuous',
    onUnavailable: 'share',
  });
  if (!compiled.ok) throw new Error(compiled.errors[0]?.message);
  return {
    limit: compiled.limit,
    capacity,
    restoreRate,
    maxDocumentCost: Math.min(MAX_DOCUMENT_COST, capacity),
  };
}

/** Where a payer's points are counted; the kind is in the limit's name, so two payers never share a key. */
export function pointsKey({ limit }: PointBucket, payer: Payer): string {
  return counterKey(ownTag('graphql'), limit.keyStem, [payer.keyValue]);
}

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
  /** Decided by this process alone because Redis was unavailable. */
  degraded: boolean;
  points: number;
  status: ThrottleStatus;
  check: Check;
}

/**
 * Limits our own API by document cost with our own engine: a compiled token bucket per caller in the counters' Redis.
 * While Redis is unavailable, each process counts in memory, so that the console keeps working and one caller still
 * cannot use everything.
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
   * Refunds unused points, or charges the excess over the estimate, and returns the payer's balance. Does not wait for
   * Redis: the answer is ready.
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
      if (wasAway) this.log.info({}, 'GraphQL cost limits shared by all processes again');
      return { decided: reply, degraded: false };
    }
    // One line per outage, not one per request.
    if (!wasAway)
      this.log.warn({ reason: reply.reason }, 'counter redis unavailable; GraphQL cost limits per process');
    return { decided: this.local.decideNow(request), degraded: true };
  }
}
