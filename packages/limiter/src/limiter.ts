import { randomUUID } from 'node:crypto';
import {
  ALGORITHMS,
  isBlocking,
  type LimitPolicy,
  MAX_LIMITS_PER_REQUEST,
  type Rule,
  ruleDefaults,
} from '@tollgate/contracts';
import { assertCost, type CompiledPolicy } from './algorithms/algorithm.js';
import type { CompiledQuota } from './algorithms/quota.js';
import { connectCounters } from './connect-counters.js';
import { type CompiledLimit, parseLimit } from './rules/compile.js';
import { counterKey, dimensionValue, holderOf, receiptKey, tenantOfKey } from './rules/keys.js';
import type {
  Amendment,
  Check,
  CheckResult,
  DecisionStore,
  ReceiptOrder,
  RefundReason,
  UnavailableReason,
} from './stores/decision-store.js';

type InputOf<R extends Rule> = R extends Rule
  ? Pick<R, 'algorithm' | 'limit'> & Partial<Omit<R, 'algorithm' | 'limit'>>
  : never;

/**
 * A rule and its name, which is part of its counters' keys: limits with one name and algorithm share counters. Fields of the rule
 * with a default may be omitted. README.md lists the algorithms, `ALGORITHMS` in contracts their fields.
 */
export type Limit = InputOf<Rule> & { readonly name: string } & Partial<
    Pick<LimitPolicy, 'charge' | 'attemptTimeoutMs' | 'penalty'>
  >;

/** Checks a limit where it is written, and gives it its type. @throws RangeError with the field */
export function defineLimit(limit: Limit): Limit {
  compiledLimit(limit, Date.now());
  return limit;
}

/** How much of which counter: `cost` units (a whole number, default 1) of the limit for `key`, such as a user's id. */
export interface LimitCheck {
  readonly limit: Limit;
  /** Any text; long ones and those with unusual characters are hashed. */
  readonly key: string;
  readonly cost?: number;
}

export interface ChargeOptions {
  /** Identifies the request, so that a retry within an hour charges nothing more. Default: a random one where one is needed. */
  readonly id?: string;
  /** Refunded after this time unless settled, ms. Default: the charge is final. */
  readonly reserveForMs?: number;
}

export interface Outcome {
  /** Name of the limit. */
  readonly limit: string;
  readonly allowed: boolean;
  /** Units left, after the charge if there was one. */
  readonly remaining: number;
  /** Until the limit allows this cost, ms; 0 if it does, Infinity for never. An allowed request of a queue waits as long. */
  readonly waitMs: number;
  /** Until the counter is empty, ms. */
  readonly resetAfterMs: number;
}

export interface Charge {
  /** All limits allowed the request, and all were charged. Otherwise none was. */
  readonly allowed: boolean;
  /** One per check, in order; empty without an answer from Redis. */
  readonly outcomes: readonly Outcome[];
  /** Longest wait of the outcomes, ms. */
  readonly waitMs: number;
  /** For `settle`, `refund` and `report`; only of an allowed charge with an id or a reservation. */
  readonly receipt?: string;
  /** The id was charged before; these are the earlier outcomes. */
  readonly repeated?: true;
  /** Redis did not answer: `allowed` is false, and the caller decides what that means. */
  readonly unavailable?: UnavailableReason;
}

/** `done`: applied before. `not_found`: never charged, or expired. `rejected`: settled above the limit. */
export interface Change {
  readonly status: 'applied' | 'done' | 'not_found' | 'rejected' | 'unavailable';
  /** Units refunded; negative: charged in addition. */
  readonly units: number;
}

export type LimiterOptions =
  | {
      /** `redis://host:port`, `redis-sentinel://…` or `redis-cluster://host:port,host:port`; with TLS `rediss…`. */
      readonly redis: string;
      /** How long a call waits for Redis, ms; default 25. */
      readonly deadlineMs?: number;
    }
  | { readonly store: DecisionStore };

const KEEP_RECEIPTS_MS = 3_600_000;

/** First calls wait for the connection; later ones are answered by their deadline. */
const CONNECT_WITHIN_MS = 1000;

/** What a stored policy has besides the rule. */
const NO_API = { api: 'limiter', operations: [], per: [], onUnavailable: 'deny' } as const;

interface Prepared {
  readonly limit: CompiledLimit;
  /** Unix ms; a quota is compiled for its period. */
  readonly untilMs: number;
}

/** Limits whose counters are in Redis. Processes with the same Redis share them. */
export class Limiter {
  private readonly store: DecisionStore;
  private readonly prepared = new WeakMap<Limit, Prepared>();

  /** Until the first connection, or the end of the wait for it. */
  private connecting: Promise<void> | undefined;

  /** @throws Error if the address is invalid or a TLS file cannot be read */
  constructor(options: LimiterOptions) {
    if ('store' in options) {
      this.store = options.store;
      return;
    }
    const counters = connectCounters({ url: options.redis, deadlineMs: options.deadlineMs });
    this.store = counters;
    const end = () => {
      this.connecting = undefined;
    };
    this.connecting = counters.connected(CONNECT_WITHIN_MS).then(end, end);
  }

  /**
   * Charges all checks, or none if a limit denies.
   * @throws RangeError for an invalid limit, key or cost; Error if the id belongs to another request
   */
  charge(checks: readonly LimitCheck[], options: ChargeOptions = {}): Promise<Charge> {
    return this.ask(checks, false, options);
  }

  /** As `charge`, without charging. */
  peek(checks: readonly LimitCheck[]): Promise<Charge> {
    return this.ask(checks, true, {});
  }

  /**
   * Replaces the reserved cost. Without a receipt, as of a denied charge: `not_found`. More than is left: `rejected`, and the
   * reservation stays.
   */
  settle(receipt: string | undefined, cost: number): Promise<Change> {
    assertCost(cost);
    return this.change(receipt, (receiptKey) => ({ op: 'settle', receiptKey, cost, overrun: 'reject' }));
  }

  /** Refunds the charge. */
  refund(receipt: string | undefined): Promise<Change> {
    return this.change(receipt, (receiptKey) => ({ op: 'refundReceipt', receiptKey, reason: 'all' }));
  }

  /** Ends a request of a `concurrency` limit, or of one that charges by outcome (`charge`). */
  report(receipt: string | undefined, outcome: 'success' | 'failure' | 'released'): Promise<Change> {
    const reason = outcome satisfies RefundReason;
    return this.change(receipt, (receiptKey) => ({ op: 'refundReceipt', receiptKey, reason }));
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async ask(
    checks: readonly LimitCheck[],
    peek: boolean,
    { id, reserveForMs = 0 }: ChargeOptions,
  ): Promise<Charge> {
    const prepared = checks.map((check) => this.prepare(check));
    assertDistinct(prepared);
    const receipt = peek ? undefined : receiptOf(prepared, id, reserveForMs);
    if (this.connecting !== undefined) await this.connecting;
    const reply = await this.store.charge({
      checks: prepared,
      peek,
      ...(receipt === undefined ? {} : { receipt }),
    });
    if (!reply.available) {
      return { allowed: false, outcomes: [], waitMs: 0, unavailable: reply.reason };
    }
    if (reply.conflict) throw new Error(`The id ${id} belongs to another request; use a new one`);
    const outcomes = reply.checks.map((result, i) => outcomeOf(checks[i]?.limit.name ?? '', result));
    return {
      allowed: reply.allowed,
      outcomes,
      waitMs: Math.max(0, ...outcomes.map(({ waitMs }) => waitMs)),
      ...(receipt !== undefined && reply.allowed ? { receipt: receipt.key } : {}),
      ...(reply.replayed ? { repeated: true as const } : {}),
    };
  }

  private async change(
    receipt: string | undefined,
    amendmentOf: (receiptKey: string) => Amendment,
  ): Promise<Change> {
    if (receipt === undefined) return { status: 'not_found', units: 0 };
    const reply = await this.store.amend(amendmentOf(receipt));
    return reply.available
      ? { status: reply.status, units: reply.units }
      : { status: 'unavailable', units: 0 };
  }

  private prepare({ limit, key, cost = 1 }: LimitCheck): Check {
    assertCost(cost);
    const value = key === '' ? undefined : dimensionValue('key', key);
    if (value === undefined) throw new RangeError('key must be a text that is not empty');
    const { policy, keyStem } = this.compile(limit);
    return { key: counterKey(value, keyStem, []), policy, cost };
  }

  private compile(limit: Limit): CompiledLimit {
    const nowMs = Date.now();
    const known = this.prepared.get(limit);
    if (known !== undefined && nowMs < known.untilMs) return known.limit;
    const compiled = compiledLimit(limit, nowMs);
    const { policy } = compiled;
    const untilMs =
      policy.kind === 'quota' ? (policy as CompiledPolicy as CompiledQuota).endMs : Number.POSITIVE_INFINITY;
    this.prepared.set(limit, { limit: compiled, untilMs });
    return compiled;
  }
}

/** @throws RangeError with the field */
function compiledLimit(limit: Limit, nowMs: number): CompiledLimit {
  // Of an unknown algorithm, the validation names the known ones.
  const defaults = Object.hasOwn(ALGORITHMS, limit.algorithm)
    ? ruleDefaults(limit.algorithm, limit.limit)
    : {};
  const input = { ...NO_API, ...defaults, ...limit };
  const parsed = parseLimit(input, { timeZone: 'UTC', billingAnchorDay: 1, nowMs });
  if (parsed.ok && !isBlocking(parsed.limit.stored)) return parsed.limit;
  // A stored policy of 0 is decided without a counter, before it gets here.
  const errors = parsed.ok ? [{ field: 'limit', message: 'limit must be 1 or more' }] : parsed.errors;
  const reasons = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new RangeError(`The limit ${limit.name} is invalid. ${reasons}`);
}

function assertDistinct(checks: readonly Check[]): void {
  if (checks.length === 0 || checks.length > MAX_LIMITS_PER_REQUEST) {
    throw new RangeError(`A request has 1 to ${MAX_LIMITS_PER_REQUEST} checks, not ${checks.length}`);
  }
  if (new Set(checks.map(({ key }) => key)).size < checks.length) {
    throw new RangeError('Two checks have the same limit and key; add their costs');
  }
}

/** A receipt only if the request has an id, is reserved, or ends with a report. */
function receiptOf(
  checks: readonly Check[],
  id: string | undefined,
  reserveForMs: number,
): ReceiptOrder | undefined {
  const [first] = checks;
  const endsWithReport = checks.some(
    ({ policy }) => policy.kind === 'concurrency' || policy.charge !== 'always',
  );
  if (first === undefined || (id === undefined && reserveForMs === 0 && !endsWithReport)) return undefined;
  const requestId = id ?? randomUUID();
  return {
    key: receiptKey(tenantOfKey(first.key), requestId),
    holder: holderOf(requestId),
    fingerprint: holderOf(JSON.stringify(checks.map(({ key, cost }) => [key, cost]))),
    keepMs: KEEP_RECEIPTS_MS + reserveForMs,
    expiresAfterMs: reserveForMs,
  };
}

function outcomeOf(limit: string, { allowed, remaining, waitUs, resetAfterUs }: CheckResult): Outcome {
  return {
    limit,
    allowed,
    remaining: Math.max(0, remaining),
    waitMs: waitUs < 0 ? Number.POSITIVE_INFINITY : Math.ceil(waitUs / 1000),
    resetAfterMs: Math.ceil(resetAfterUs / 1000),
  };
}
