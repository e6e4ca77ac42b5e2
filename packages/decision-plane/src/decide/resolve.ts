import { type FieldError, type LimitRequest, type TenantRecord, TollgateError } from '@tollgate/contracts';
import {
  dimensionValue,
  fingerprintOf,
  holderOf,
  MISSING_VALUE,
  receiptKey,
  tenantTag,
} from '@tollgate/limiter/rules';
import type { Check, CheckResult, ReceiptOrder } from '@tollgate/limiter/stores';
import type { EffectiveLimit, Labels, OperationPolicy } from '@tollgate/policy';
import type {
  AppliedLimit,
  AppliedLimits,
  Counter,
  CounterBook,
  TenantLimit,
} from '../counters/counter-book.js';
import type { PoolBook } from '../pools/pool-book.js';
import type { UnknownApis } from './requests.js';
import type { TenantOperation } from './tenant-operations.js';
import type { TenantPolicy } from './tenant-policies.js';

export type Resolution =
  | {
      kind: 'blocked';
      success: false;
      reason: 'BLOCKED';
      cost: number;
      detail?: string;
      /** Id of the subject rule that denies the caller. */
      rule?: string;
      by?: EffectiveLimit;
    }
  | {
      kind: 'no_limit';
      success: true;
      reason: 'NO_LIMIT' | 'EXEMPT' | 'SHADOW';
      cost: number;
      /** Id of the subject rule that exempts the caller. */
      rule?: string;
      by?: EffectiveLimit;
    }
  | {
      kind: 'limited';
      cost: number;
      operation: OperationPolicy;
      limits: AppliedLimits;
      /** Id of the subject rule that exempts the caller from all limits. */
      rule?: string | undefined;
      /** Of an allowed request, if no counter gives another one. `SHADOW`: a limit of 0 that is not enforced would deny it. */
      reason: 'WITHIN_LIMIT' | 'EXEMPT' | 'SHADOW';
    };

const NO_LIMITS: AppliedLimits = { applied: [], checks: [] };

const DENIED_SUBJECT = 'A rule denies requests of this caller.';

export interface ResolveOptions {
  readonly counters: CounterBook;
  readonly unknownApis: UnknownApis;
  /** Does not charge the tenant's key budget. */
  readonly peek: boolean;
  /** Whether to find the counters of a suspended tenant, of a subject that a rule denies or exempts, and of an operation that a limit blocks. */
  readonly ignoresAccess?: boolean;
}

/**
 * Finds the limits of a request and their counters. @throws TollgateError `api-unknown`; `dimension-invalid` and
 * `dimension-missing` (for limits with `onMissing: refuse`), which name every such value of the limit
 */
export function resolve(
  of: TenantOperation,
  request: LimitRequest,
  nowMs: number,
  options: ResolveOptions,
): Resolution {
  const { policy: operation, limits } = of;
  const { api, cost: requestedCost } = request;
  const { ignoresAccess = false } = options;
  if (of.isSuspended && !ignoresAccess) return suspended(of, requestedCost);
  if (operation === 'refuse') return blocked(requestedCost);
  const access = ignoresAccess ? undefined : of.rules?.accessOf(request.subject, nowMs);
  if (access?.kind === 'deny') {
    const { rule, message = DENIED_SUBJECT } = access;
    return { ...blocked(requestedCost), detail: message, rule };
  }
  if (operation === 'allow' || (operation === undefined && options.unknownApis === 'allow'))
    return unlimited('EXEMPT', requestedCost ?? 1);
  if (operation === undefined) throw new TollgateError('api-unknown', { detail: `There is no API ${api}` });
  const cost = requestedCost ?? operation.cost;
  const isExempt = access !== undefined;
  const block = isExempt || of.blocking.length === 0 ? undefined : blockOf(of, request, nowMs, options);
  if (block?.isEnforced === true) return blockedBy(block.by, cost, request);
  if (limits.length === 0 && operation.pool === undefined) return unlimited('NO_LIMIT', cost);
  const applied = isExempt ? NO_LIMITS : appliedTo(of, request, cost, nowMs, options);
  if (applied.applied.length === 0 && operation.pool === undefined)
    return block === undefined
      ? exempted(access?.rule ?? exemptionOf(of, request, nowMs), cost)
      : { ...unlimited('SHADOW', cost), by: block.by };
  const reason = isExempt ? 'EXEMPT' : block === undefined ? 'WITHIN_LIMIT' : 'SHADOW';
  return { kind: 'limited', cost, operation, limits: applied, reason, rule: access?.rule };
}

function exempted(rule: string | undefined, cost: number): Resolution & { kind: 'no_limit' } {
  return { ...unlimited('EXEMPT', cost), ...(rule === undefined ? {} : { rule }) };
}

/** Id of the first rule that exempts the subject from a limit of the operation. */
function exemptionOf(
  { limits }: TenantOperation,
  { subject }: LimitRequest,
  nowMs: number,
): string | undefined {
  for (const { limit, rules } of limits) {
    const rule = rules?.exemptionOf(limit.stored, subject, nowMs);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

function blockedBy(
  by: EffectiveLimit,
  cost: number,
  request: LimitRequest,
): Resolution & { kind: 'blocked' } {
  const { labels, stored } = by;
  if (labels === undefined) return { ...blocked(cost), by };
  const label = sentValue(request, labels.by);
  const whose = label === undefined ? `without ${labels.by}` : `for ${labels.by} ${label}`;
  return { ...blocked(cost), by, detail: `Limit ${stored.name} has no amount ${whose}.` };
}

interface Block {
  readonly by: EffectiveLimit;
  readonly isEnforced: boolean;
}

/** The limit of 0 that denies the request, or would if it were enforced. */
function blockOf(
  { blocking }: TenantOperation,
  request: LimitRequest,
  nowMs: number,
  options: ResolveOptions,
): Block | undefined {
  if (options.ignoresAccess === true) return undefined;
  let shadow: Block | undefined;
  for (const one of blocking) {
    const by = limitFor(one, request, nowMs, options);
    const mode = by?.isBlocking === true ? counterOf(options.counters, one, request)?.mode : undefined;
    if (by === undefined || mode === undefined || mode === 'candidate') continue;
    if (mode === 'enforce') return { by, isEnforced: true };
    shadow ??= { by, isEnforced: false };
  }
  return shadow;
}

function appliedTo(
  of: TenantOperation,
  request: LimitRequest,
  cost: number,
  nowMs: number,
  options: ResolveOptions,
): AppliedLimits {
  const { onlyLimit, limits } = of;
  if (onlyLimit !== undefined) {
    const limit = limitFor(onlyLimit, request, nowMs, options);
    const counter = limit && counterOf(options.counters, onlyLimit, request);
    if (limit === undefined || counter === undefined) return NO_LIMITS;
    // No new objects for a repeated request.
    return counter.alone(checkOf(counter, limit, cost, nowMs, options));
  }
  const applied: AppliedLimit[] = [];
  const checks: Check[] = [];
  for (const one of limits) {
    const limit = limitFor(one, request, nowMs, options);
    const counter = limit && counterOf(options.counters, one, request);
    if (limit === undefined || limit.isBlocking || counter === undefined) continue;
    const check = checkOf(counter, limit, cost, nowMs, options);
    const { otherwise } = one;
    applied.push(
      otherwise === undefined
        ? check
        : {
            ...check,
            otherwise: checkOf(
              options.counters.counterAlone(otherwise),
              otherwise.limit,
              cost,
              nowMs,
              options,
            ),
          },
    );
    checks.push(check.check);
  }
  return { applied, checks };
}

/** The limit for the request's subject and label; undefined: none applies. */
function limitFor(
  { limit: unlabeled, rules }: TenantLimit,
  request: LimitRequest,
  nowMs: number,
  { ignoresAccess }: ResolveOptions,
): EffectiveLimit | undefined {
  const { labels } = unlabeled;
  const limit = labels === undefined ? unlabeled : unlabeled.ofLabel(sentValue(request, labels.by), nowMs);
  if (rules === undefined || limit === undefined) return limit;
  const { subject } = request;
  const change = rules.changeOf(limit.stored, limit.dimensions, subject, nowMs, ignoresAccess);
  if (change === undefined) return limit;
  return change === 'exempt' ? undefined : limit.changedBy(change, nowMs);
}

function checkOf(
  counter: Counter,
  limit: EffectiveLimit,
  cost: number,
  nowMs: number,
  { counters, peek }: ResolveOptions,
): AppliedLimit {
  // A request of any cost occupies one permit.
  return counters.check(counter, limit, limit.kind === 'concurrency' ? 1 : cost, nowMs, peek);
}

function suspended({ at }: TenantOperation, cost: number | undefined): Resolution {
  if (at.tenant.status === 'suspended') return blocked(cost);
  return { ...blocked(cost), detail: 'The parent tenant is suspended.' };
}

function blocked(cost = 1): Resolution & { kind: 'blocked' } {
  return { kind: 'blocked', success: false, reason: 'BLOCKED', cost };
}

function unlimited(
  reason: 'NO_LIMIT' | 'EXEMPT' | 'SHADOW',
  cost: number,
): Resolution & { kind: 'no_limit' } {
  return { kind: 'no_limit', success: true, reason, cost };
}

/** Undefined: the limit does not apply to a request without these values. */
function counterOf(counters: CounterBook, of: TenantLimit, request: LimitRequest): Counter | undefined {
  const { dimensions, labels } = of.limit;
  if (labels !== undefined) return labelCounterOf(counters, of, labels, request);
  const [dimension] = dimensions;
  if (dimension === undefined) return counters.counterAlone(of);
  const sent = dimensions.length === 1 ? sentValue(request, dimension) : undefined;
  // Found by the value as sent: encoding it costs as much as finding it.
  if (sent !== undefined)
    return counters.counter(of, sent, () => [encoded(of.limit, request, dimension, sent)]);
  const values = valuesOf(of.limit, request);
  if (values === undefined) return undefined;
  // No value as sent is empty.
  return counters.counter(of, dimensions.length === 1 ? '' : values.join(''), () => values);
}

/** Labels without an amount share a counter. */
function labelCounterOf(
  counters: CounterBook,
  of: TenantLimit,
  { by, own }: Labels,
  request: LimitRequest,
): Counter | undefined {
  const values = valuesOf(of.limit, request);
  if (values === undefined) return undefined;
  const sent = sentValue(request, by);
  const isOwn = sent !== undefined && own.has(sent);
  const all = [...values, isOwn ? encoded(of.limit, request, by, sent) : MISSING_VALUE];
  return counters.counter(of, all.join(''), () => all);
}

/** Undefined: the limit does not apply to a request without these values. */
function valuesOf(limit: EffectiveLimit, request: LimitRequest): readonly string[] | undefined {
  let isMissing = false;
  const values = limit.dimensions.map((dimension) => {
    const value = sentValue(request, dimension);
    isMissing ||= value === undefined;
    return value === undefined ? MISSING_VALUE : encoded(limit, request, dimension, value);
  });
  if (!isMissing) return values;
  const { onMissing } = limit.stored;
  if (onMissing === 'refuse') throw dimensionErrors('dimension-missing', limit, request);
  return onMissing === 'skip' ? undefined : values;
}

/** @throws TollgateError `dimension-invalid` */
function encoded(limit: EffectiveLimit, request: LimitRequest, dimension: string, value: string): string {
  const written = dimensionValue(dimension, value, limit.stored);
  if (written === undefined) throw dimensionErrors('dimension-invalid', limit, request);
  return written;
}

// `hasOwn`: a dimension may be named `constructor`.
function sentValue({ subject }: LimitRequest, dimension: string): string | undefined {
  return subject !== undefined && Object.hasOwn(subject, dimension) ? subject[dimension] : undefined;
}

function dimensionErrors(
  code: 'dimension-missing' | 'dimension-invalid',
  { dimensions, stored: { name, onMissing } }: EffectiveLimit,
  request: LimitRequest,
): TollgateError {
  const errors = dimensions.flatMap((dimension): FieldError[] => {
    const value = sentValue(request, dimension);
    const field = `subject.${dimension}`;
    if (value === undefined) {
      if (onMissing !== 'refuse') return [];
      return [{ field, message: `${field} is required by limit ${name}; send it` }];
    }
    if (dimensionValue(dimension, value) !== undefined) return [];
    return [{ field, message: `${field} is not a valid IP address (required by limit ${name})` }];
  });
  return new TollgateError(code, { errors });
}

export const REMEMBER_REQUESTS_MS = 600_000;

/** For a request that has an id, makes a reservation, or has a limit whose charge is changed later. */
export function receiptOf(
  tenant: TenantRecord,
  request: LimitRequest,
  { needsReceipt, limits }: OperationPolicy,
  id: string,
  reserveMs: number,
): ReceiptOrder | undefined {
  if (request.requestId === undefined && reserveMs === 0 && !needsReceipt) return undefined;
  const leaseMs = Math.max(
    0,
    ...limits.map(({ stored }) => (stored.algorithm === 'concurrency' ? stored.leaseMs : 0)),
  );
  return {
    key: receiptKey(tenantTag(tenant), id),
    holder: holderOf(id),
    fingerprint: fingerprintOf(request),
    keepMs: REMEMBER_REQUESTS_MS + Math.max(reserveMs, leaseMs),
    expiresAfterMs: reserveMs,
  };
}

/** Units of a pool that one request takes or borrows, before its limits are checked; {@link finish} returns unused ones. */
export class PoolPass {
  private wantsLoan = false;
  private hasLoan = false;

  private constructor(
    private readonly book: PoolBook,
    private readonly operation: OperationPolicy,
    private readonly at: Pick<TenantPolicy, 'policy' | 'tenant'>,
    private readonly cost: number,
  ) {}

  /** Undefined: no room. */
  static enter(
    book: PoolBook,
    operation: OperationPolicy,
    at: Pick<TenantPolicy, 'policy' | 'tenant'>,
    cost: number,
  ): PoolPass | undefined {
    const { pool, priority } = operation;
    if (pool !== undefined && !book.admit(pool, priority, cost)) return undefined;
    return new PoolPass(book, operation, at, cost);
  }

  static wouldEnter(book: PoolBook, { pool, priority }: OperationPolicy, cost: number): boolean {
    return pool === undefined || book.wouldAdmit(pool, priority, cost);
  }

  /** Call it once per request. */
  borrow(): boolean {
    const { pool, priority } = this.operation;
    const { policy, tenant } = this.at;
    this.wantsLoan = true;
    this.hasLoan =
      pool !== undefined && this.book.borrow(pool, tenant.tenant, policy.weight, priority, this.cost);
    return this.hasLoan;
  }

  finish(success: boolean, applied: readonly AppliedLimit[], results: readonly CheckResult[]): void {
    const { pool, priority } = this.operation;
    if (pool === undefined) return;
    const usesLoan = success && results.some((result, i) => result.over && isElastic(applied[i]));
    // A request on borrowed capacity is not the tenant's own traffic, and vice versa.
    if (!success || usesLoan) this.book.undoAdmit(pool, priority, this.cost);
    // A request denied because there was no loan stays recorded as demand: without demand nothing would be lent.
    if (this.wantsLoan && !usesLoan && (success || this.hasLoan)) {
      this.book.undoBorrow(pool, this.at.tenant.tenant, priority, this.cost, this.hasLoan);
    }
  }
}

/** Removes the elastic part of limits if no spare capacity can be borrowed for the request. */
export function withBorrowing(
  limits: AppliedLimits,
  pass: PoolPass | undefined,
  nowMs: () => number,
): AppliedLimits {
  if (!hasElastic(limits.applied) || pass?.borrow() === true) return limits;
  const applied = limits.applied.map((one) =>
    isElastic(one) ? { ...one, check: { ...one.check, policy: one.limit.policyWithoutExtra(nowMs()) } } : one,
  );
  return { applied, checks: applied.map(({ check }) => check) };
}

function hasElastic(applied: readonly AppliedLimit[]): boolean {
  for (let i = 0; i < applied.length; i++) if (isElastic(applied[i])) return true;
  return false;
}

function isElastic(one: AppliedLimit | undefined): boolean {
  return one?.mode === 'enforce' && one.limit.stored.throttle?.mode === 'elastic';
}
