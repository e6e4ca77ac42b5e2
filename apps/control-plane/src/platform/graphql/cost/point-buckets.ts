import { type CompiledLimit, compileLimit, counterKey, ownTag } from '@tollgate/decision-plane/internals';
import type { Payer, PayerKind } from './payer.js';

/** A full bucket is so many seconds' worth. */
const CAPACITY_SECONDS = 20;

/** No single document may cost more, whatever its sender has left. */
const MAX_DOCUMENT_COST = 5000;

/** What a kind of payer gets of the configured rate. */
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
