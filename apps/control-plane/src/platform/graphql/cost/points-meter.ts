import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type CompiledLimit,
  compileLimit,
  counterKey,
  dimensionValue,
  ownTag,
} from '@tollgate/limiter/rules';
import { type Check, type Decided, MemoryStore } from '@tollgate/limiter/stores';
import { AppConfig } from '../../../config/app-config.js';
import type { Actor } from '../../access/actor.js';
import { ApiError } from '../../api-error.js';
import { Log } from '../../log.js';
import { RedisConnections } from '../../redis.js';
import type { DocumentCost } from './document-cost.js';

export type PayerKind = 'operator' | 'token' | 'member' | 'address' | 'document' | 'tenant' | 'widget';

export interface Payer {
  kind: PayerKind;
  /** Part of the counter key; unique per kind. */
  keyValue: string;
}

export function payerOf(actor: Actor | undefined, address: string): Payer {
  if (actor === undefined) {
    // Invalid addresses share one bucket, so that they cannot be used to get new buckets.
    return { kind: 'address', keyValue: dimensionValue('ip', address) ?? '~' };
  }
  return { kind: kindOf(actor), keyValue: dimensionValue('actor', actor.id) ?? '=' };
}

function kindOf({ kind, role }: Actor): PayerKind {
  if (kind === 'TOKEN') return 'token';
  return role === null ? 'member' : 'operator';
}

/** Pays for reading a document, before anything of it is known but the address of its sender. */
export function documentPayerOf(address: string): Payer {
  return { ...payerOf(undefined, address), kind: 'document' };
}

/** Pays for work outside of GraphQL, besides the person or token that asked for it. */
export function tenantPayerOf(tenantKey: string): Payer {
  return { kind: 'tenant', keyValue: dimensionValue('actor', tenantKey) ?? '=' };
}

/** @param content of a widget's token: several texts decode to the same one */
export function widgetPayerOf(content: object): Payer {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url');
  return { kind: 'widget', keyValue: dimensionValue('actor', hash) ?? '=' };
}

/** Capacity of a bucket in seconds of its rate. */
const CAPACITY_SECONDS = 20;

const MAX_DOCUMENT_COST = 5000;

/** Share of the configured rate per kind of payer. */
const SHARE: Record<PayerKind, number> = {
  operator: 1,
  token: 1,
  member: 0.2,
  address: 0.1,
  tenant: 0.2,
  widget: 0.05,
  document: 0.01,
};

/** A page of the console sends about ten documents at once. */
const MIN_DOCUMENT_RATE = 10;

export interface PointBucket {
  limit: CompiledLimit;
  capacity: number;
  /** Points per second. */
  restoreRate: number;
  maxDocumentCost: number;
}

export function pointBuckets(pointsPerSecond: number): Record<PayerKind, PointBucket> {
  const bucketOf = (kind: PayerKind) => {
    const least = kind === 'document' ? MIN_DOCUMENT_RATE : 1;
    return pointBucket(kind, Math.max(least, Math.floor(pointsPerSecond * SHARE[kind])));
  };
  return {
    operator: bucketOf('operator'),
    token: bucketOf('token'),
    member: bucketOf('member'),
    address: bucketOf('address'),
    document: bucketOf('document'),
    tenant: bucketOf('tenant'),
    widget: bucketOf('widget'),
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

/** Unique, because the limit's name contains the kind. */
export function pointsKey({ limit }: PointBucket, payer: Payer): string {
  return counterKey(ownTag('graphql'), limit.keyStem, [payer.keyValue]);
}

/** As in `extensions.cost`. */
export interface ThrottleStatus {
  maximumAvailable: number;
  currentlyAvailable: number;
  restoreRate: number;
}

export interface Payment {
  allowed: boolean;
  /** 0 if allowed. */
  retryAfterSeconds: number;
  /** Decided by this process alone, because Redis is unavailable. */
  degraded: boolean;
  points: number;
  status: ThrottleStatus;
  check: Check;
}

/**
 * Limits this API by cost: a token bucket per payer in the counters' Redis. While Redis is unavailable, each process
 * counts in its own memory.
 */
@Injectable()
export class PointsMeter {
  private readonly buckets: Record<PayerKind, PointBucket>;
  private readonly local = new MemoryStore({ maxKeys: 10_000 });
  private isUnavailable = false;

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

  /** Charges `points` if the payer has enough, else nothing. */
  async take(payer: Payer, points: number): Promise<Payment> {
    const bucket = this.buckets[payer.kind];
    const check: Check = { key: pointsKey(bucket, payer), policy: bucket.limit.policy, cost: points };
    const { decided, degraded } = await this.decide(check);
    const result = decided.checks[0];
    if (result === undefined) throw new Error('The store returned no result');
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

  /** Charges each payer for a request outside of GraphQL. @throws ApiError THROTTLED */
  async charge(payers: readonly Payer[], points: number): Promise<void> {
    const payments = await Promise.all(payers.map((payer) => this.take(payer, points)));
    const denied = payments.find(({ allowed }) => !allowed);
    if (denied !== undefined) throw throttled(denied);
  }

  /** Refunds unused points or charges additional ones without waiting for Redis. Returns the resulting state. */
  adjust({ check, points, status, degraded }: Payment, actual: number): ThrottleStatus {
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
    const reply = await this.redis.counters.charge(request);
    const wasUnavailable = this.isUnavailable;
    this.isUnavailable = !reply.available;
    if (reply.available) {
      if (wasUnavailable) this.log.info({}, 'counter redis available; GraphQL limited across processes');
      return { decided: reply, degraded: false };
    }
    if (!wasUnavailable)
      this.log.warn({ reason: reply.reason }, 'counter redis unavailable; GraphQL limited per process');
    return { decided: this.local.chargeNow(request), degraded: true };
  }
}

/** `extensions.cost`, with the field names of Shopify's API. */
export interface CostExtension {
  requestedQueryCost: number;
  actualQueryCost: number;
  throttleStatus: ThrottleStatus;
  /** Set while Redis is unavailable. */
  degraded?: true;
}

const REPEATED_ANSWER_COST = 1;

/** Checks, charges and refunds the cost of one operation. */
export class CostBill {
  private payment: Payment | undefined;
  private isRepeated = false;

  constructor(
    private readonly meter: PointsMeter,
    private readonly cost: DocumentCost,
    private readonly payer: Payer,
  ) {}

  /** @throws ApiError MAX_COST_EXCEEDED */
  check(): void {
    const points = this.cost.requested();
    const maximum = this.meter.maxDocumentCost(this.payer);
    if (points <= maximum) return;
    const message = `The operation may cost up to ${points} points; at most ${maximum} are allowed. Request smaller pages or fewer fields.`;
    throw new ApiError('MAX_COST_EXCEEDED', message, { cost: points, maximum }, {});
  }

  /** Points of the payment; 0 before it, or if it failed. */
  get paid(): number {
    return this.payment?.allowed === true ? this.payment.points : 0;
  }

  /** @param isRepeated the response is stored. @throws ApiError THROTTLED; nothing is charged then */
  async pay(isRepeated: boolean): Promise<void> {
    this.isRepeated = isRepeated;
    this.payment = await this.meter.take(
      this.payer,
      isRepeated ? REPEATED_ANSWER_COST : this.cost.requested(),
    );
    if (!this.payment.allowed) throw throttled(this.payment);
  }

  /** Refunds the points that `data` did not cost. Undefined if nothing was charged. */
  finish(data: unknown): CostExtension | undefined {
    const { payment } = this;
    if (payment === undefined) return undefined;
    const actual = this.actual(payment, data);
    return {
      requestedQueryCost: payment.points,
      actualQueryCost: actual,
      throttleStatus: payment.allowed ? this.meter.adjust(payment, actual) : payment.status,
      ...(payment.degraded ? { degraded: true } : {}),
    };
  }

  private actual({ allowed }: Payment, data: unknown): number {
    if (!allowed) return 0;
    return this.isRepeated ? REPEATED_ANSWER_COST : this.cost.actual(data);
  }
}

function throttled({ retryAfterSeconds, points, status }: Payment): ApiError {
  const message = `The request may cost up to ${points} points; ${status.currentlyAvailable} are available and ${status.restoreRate} are restored per second.`;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError('THROTTLED', message, { retryAfter: retryAfterSeconds }, { headers });
}
