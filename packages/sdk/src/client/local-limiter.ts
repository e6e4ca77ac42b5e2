import type { LimitAnswer, PolicyResult } from '@tollgate/contracts/answers';
import { isProblemItem } from './http-transport.js';
import type { LimitRequest } from './request.js';

/** Requests of different kinds whose limits are remembered; beyond, those that were not asked about for longest go. */
const MAX_REMEMBERED = 10_000;

/** What a limit allowed when Tollgate said so last, or this limiter decided last. */
interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  units: number;
  atMs: number;
}

export interface LocalVerdict {
  success: boolean;
  /** The limit that refused, or the one with the least left; absent where no limit is known. */
  policy?: string;
  limit?: number;
  remaining?: number;
  /** Whole seconds; on a refusal. */
  retryAfter?: number;
}

/**
 * Stands in while Tollgate cannot be asked.
 *
 * It remembers, for each kind of request (tenant or key, API, operation and subject together; 10,000 of them), the enforced
 * limits of the last answer. Each goes on as a token bucket in this process: it begins with what was `remaining`, holds
 * `limit` at most, and refills by `limit` a window. A request passes if each of its buckets has its cost, and then takes it
 * from all; a refusal takes nothing. A kind of request that was not seen before is counted by the limits last known of its
 * operation, from full; where none are known, it passes.
 *
 * What it does not know: what other processes let pass (`n` of them may let pass `n` times the limit), and what several
 * subjects share (a limit on the tenant alone is spent by each of them). What it let pass is not charged later.
 */
export class LocalLimiter {
  private readonly buckets = new Map<string, Bucket[]>();
  private readonly operations = new Map<string, Bucket[]>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  /** Remembers what Tollgate answered. */
  learn(request: LimitRequest, answer: object): void {
    if (isProblemItem(answer)) return;
    const { policies, degraded } = answer as LimitAnswer;
    if (degraded) return; // what a node says in an outage of its own is no state of the limit
    const nowMs = this.nowMs();
    const learnt = policies.filter(isEnforced).map((policy) => bucketOf(policy, nowMs));
    remember(this.operations, operationOf(request), learnt);
    remember(this.buckets, kindOf(request), learnt);
  }

  /** @param isLook takes nothing */
  decide(request: LimitRequest, isLook = false): LocalVerdict {
    const nowMs = this.nowMs();
    const buckets = this.bucketsOf(request, nowMs);
    for (const bucket of buckets) refill(bucket, nowMs);
    const cost = request.cost ?? 1;
    const short = buckets.filter((bucket) => bucket.units < cost);
    if (short.length === 0 && !isLook) for (const bucket of buckets) bucket.units -= cost;
    const [tightest] = (short.length > 0 ? short : buckets).toSorted(
      (a, b) => waitMs(b, cost) - waitMs(a, cost),
    );
    if (tightest === undefined) return { success: true };
    const { name: policy, limit, units } = tightest;
    const found = { policy, limit, remaining: Math.floor(units) };
    if (short.length === 0) return { success: true, ...found };
    return { success: false, ...found, retryAfter: Math.max(1, Math.ceil(waitMs(tightest, cost) / 1000)) };
  }

  private bucketsOf(request: LimitRequest, nowMs: number): Bucket[] {
    const kind = kindOf(request);
    const known = this.buckets.get(kind);
    if (known !== undefined) return known;
    const limits = this.operations.get(operationOf(request)) ?? [];
    const fresh = limits.map((bucket) => ({ ...bucket, units: bucket.limit, atMs: nowMs }));
    remember(this.buckets, kind, fresh);
    return fresh;
  }
}

function isEnforced({ mode, window }: PolicyResult): boolean {
  // Slots are held, not refilled: without their holders nothing can be said of them.
  return mode === 'enforce' && window > 0;
}

function bucketOf({ name, limit, window, remaining }: PolicyResult, nowMs: number): Bucket {
  return { name, limit, windowMs: window * 1000, units: Math.min(limit, remaining), atMs: nowMs };
}

function refill(bucket: Bucket, nowMs: number): void {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  bucket.units = Math.min(bucket.limit, bucket.units + (elapsedMs * bucket.limit) / bucket.windowMs);
  bucket.atMs = nowMs;
}

function waitMs({ units, limit, windowMs }: Bucket, cost: number): number {
  return ((cost - units) * windowMs) / limit;
}

function operationOf({ tenant, key, api, operation }: LimitRequest): string {
  return JSON.stringify([tenant ?? '', key ?? '', api, operation]);
}

function kindOf(request: LimitRequest): string {
  const subject = Object.entries(request.subject ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operationOf(request), subject]);
}

/** Puts an entry last, and drops the first beyond the bound. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
