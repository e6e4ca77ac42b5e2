import { type FieldError, type LimitRequest, type TenantRecord, TollgateError } from '@tollgate/contracts';
import type {
  CompiledCatalogue,
  EffectiveLimit,
  LimitMode,
  OperationPolicy,
  SourcedLimit,
  TierPolicy,
} from '../policy/catalogue.js';
import type { PoolBook } from '../pools/pool-book.js';
import type { Check, CheckResult, ReceiptOrder } from '../store/decision-store.js';
import {
  counterKey,
  dimensionValue,
  fingerprintOf,
  globalTag,
  hashText,
  holderOf,
  MISSING_VALUE,
  overflowKey,
  receiptKey,
} from '../store/keys.js';
import type { UnknownApis } from './requests.js';

export interface PolicyView {
  readonly catalogue: CompiledCatalogue | undefined;
  readonly revision: number;
  /** When the policy becomes stale, Unix ms; Infinity: never. */
  readonly staleFromMs: number;
  /** The cached record; null if the tenant does not exist; undefined if it must be loaded. */
  findTenant(key: string): TenantRecord | null | undefined;
  /** @throws TollgateError `tenant-unavailable` */
  loadTenant(key: string): Promise<TenantRecord | null>;
  /** The policy of a record that does not belong to the active revision; default: every record does. */
  pastOf?(tenant: TenantRecord): Pick<PolicyView, 'catalogue' | 'revision'> | undefined;
  /** Applies the newest policy if there is a newer one. Never rejects. */
  refresh(): Promise<void>;
}

export interface TenantPolicy {
  readonly policy: TierPolicy;
  readonly tenant: TenantRecord;
  readonly revision: number;
}

export class TenantPolicies {
  constructor(
    private readonly view: PolicyView,
    private readonly nowMs: () => number,
  ) {}

  get revision(): number {
    return this.view.revision;
  }

  isStale(nowMs: number): boolean {
    return nowMs > this.view.staleFromMs;
  }

  /** Undefined: load it. */
  find(key: string): TenantPolicy | undefined {
    const tenant = this.view.findTenant(key);
    return tenant == null ? undefined : this.policyFor(tenant);
  }

  /** @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable` */
  async load(key: string): Promise<TenantPolicy> {
    for (const isLastTry of [false, true]) {
      const tenant = await this.view.loadTenant(key);
      if (tenant === null) throw new TollgateError('tenant-unknown', { detail: `There is no tenant ${key}` });
      if (this.view.catalogue === undefined) throw new TollgateError('not-ready');
      // A revision applied during the load has its own record of the tenant.
      const at = this.find(key) ?? this.policyFor(tenant);
      if (at !== undefined) return at;
      // The record is newer than the catalogue: refresh both, once.
      if (!isLastTry) await this.view.refresh();
    }
    throw new TollgateError('tenant-unavailable', {
      internal: `tenant ${key} is on a tier version that revision ${this.revision} does not contain`,
    });
  }

  /** Throws as `load`. */
  async limitsOf(key: string, api: string): Promise<{ limits: readonly SourcedLimit[]; revision: number }> {
    const { tenant } = this.find(key) ?? (await this.load(key));
    const { catalogue, revision } = this.view.pastOf?.(tenant) ?? this.view;
    const limits = catalogue?.limitsOf(tenant, this.nowMs()) ?? [];
    return { limits: limits.filter(({ policy }) => policy.api === api), revision };
  }

  private policyFor(tenant: TenantRecord): TenantPolicy | undefined {
    const { catalogue, revision } = this.view.pastOf?.(tenant) ?? this.view;
    const policy = catalogue?.policyOf(tenant, this.nowMs);
    return policy === undefined ? undefined : { policy, tenant, revision };
  }
}

export interface AppliedLimit {
  readonly limit: EffectiveLimit;
  readonly mode: LimitMode;
  readonly check: Check;
}

export type Resolution =
  | { kind: 'blocked'; success: false; reason: 'BLOCKED'; cost: number }
  | { kind: 'no_limit'; success: true; reason: 'NO_LIMIT' | 'EXEMPT'; cost: number }
  | { kind: 'limited'; cost: number; operation: OperationPolicy; applied: readonly AppliedLimit[] };

/** Whether a tenant may have a counter with this key. */
export type AdmitKey = (tenant: string, key: string, nowMs: number) => boolean;

export interface ResolveOptions {
  /** Returns false: the limit's overflow counter is used. */
  readonly admitKey: AdmitKey;
  readonly unknownApis: UnknownApis;
}

/**
 * Finds the limits of a request and their counters. @throws TollgateError `api-unknown`; `dimension-invalid` and
 * `dimension-missing` (for limits with `onMissing: refuse`), which name every such value of the limit
 */
export function resolve(
  { policy, tenant }: Pick<TenantPolicy, 'policy' | 'tenant'>,
  request: LimitRequest,
  nowMs: number,
  { admitKey, unknownApis }: ResolveOptions,
): Resolution {
  const { api, cost: requestedCost } = request;
  if (tenant.status === 'suspended') return blocked(requestedCost);
  const operation = policy.operation(api, request.operation) ?? policy.unregisteredOperation(api);
  if (operation === 'refuse') return blocked(requestedCost);
  if (operation === 'allow' || (operation === undefined && unknownApis === 'allow'))
    return unlimited('EXEMPT', requestedCost ?? 1);
  if (operation === undefined) throw new TollgateError('api-unknown', { detail: `There is no API ${api}` });
  const cost = requestedCost ?? operation.cost;
  const { limits } = operation;
  if (limits.length === 0 && operation.pool === undefined) return unlimited('NO_LIMIT', cost);
  const applied: AppliedLimit[] = [];
  for (const limit of limits) {
    const one = applyLimit(limit, tenant.tenant, request, cost, nowMs, admitKey);
    if (one !== undefined) applied.push(one);
  }
  if (applied.length === 0 && operation.pool === undefined) return unlimited('EXEMPT', cost);
  return { kind: 'limited', cost, operation, applied };
}

function blocked(cost = 1): Resolution {
  return { kind: 'blocked', success: false, reason: 'BLOCKED', cost };
}

function unlimited(reason: 'NO_LIMIT' | 'EXEMPT', cost: number): Resolution {
  return { kind: 'no_limit', success: true, reason, cost };
}

function applyLimit(
  limit: EffectiveLimit,
  tenant: string,
  request: LimitRequest,
  cost: number,
  nowMs: number,
  admitKey: AdmitKey,
): AppliedLimit | undefined {
  const values = valuesOf(limit, request);
  if (values === undefined) return undefined;
  const tag = limit.isGlobal ? globalTag(request.api) : tenant;
  const ownKey = counterKey(tag, limit.keyStem, values);
  const isOverflow = limit.dimensions.length > 0 && !admitKey(tenant, ownKey, nowMs);
  const key = isOverflow ? overflowKey(tag, limit.keyStem) : ownKey;
  // The own key decides the mode, also in overflow: the shared key would enforce the limit for all callers or for none.
  const mode = modeOf(limit, ownKey);
  // A request of any cost occupies one permit.
  const units = limit.kind === 'concurrency' ? 1 : cost;
  return { limit, mode, check: { key, policy: limit.policy(nowMs, mode), cost: units } };
}

const NO_VALUES: readonly string[] = [];

/** Undefined: the limit does not apply to a request without these values. */
function valuesOf(limit: EffectiveLimit, request: LimitRequest): readonly string[] | undefined {
  if (limit.dimensions.length === 0) return NO_VALUES;
  let isMissing = false;
  const values = limit.dimensions.map((dimension) => {
    const value = sentValue(request, dimension);
    isMissing ||= value === undefined;
    const written = value === undefined ? MISSING_VALUE : dimensionValue(dimension, value);
    if (written === undefined) throw dimensionErrors('dimension-invalid', limit, request);
    return written;
  });
  if (!isMissing) return values;
  const { onMissing } = limit.stored;
  if (onMissing === 'refuse') throw dimensionErrors('dimension-missing', limit, request);
  return onMissing === 'skip' ? undefined : values;
}

// `hasOwn`: a dimension may be named `constructor`.
function sentValue({ subject }: LimitRequest, dimension: string): string | undefined {
  return subject !== undefined && Object.hasOwn(subject, dimension) ? subject[dimension] : undefined;
}

function modeOf({ candidate, stored: { enforcement } }: EffectiveLimit, key: string): LimitMode {
  if (candidate) return 'candidate';
  if (enforcement === undefined || enforcement.mode === 'enforce') return 'enforce';
  if (enforcement.mode === 'shadow') return 'shadow';
  // A hash of the key, so that a counter keeps its mode from request to request.
  return hashText(key) % 100 < enforcement.percent ? 'enforce' : 'shadow';
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
  tenant: string,
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
    key: receiptKey(tenant, id),
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
    private readonly at: TenantPolicy,
    private readonly cost: number,
  ) {}

  /** Undefined: no room. */
  static enter(
    book: PoolBook,
    operation: OperationPolicy,
    at: TenantPolicy,
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
  applied: readonly AppliedLimit[],
  pass: PoolPass | undefined,
  nowMs: () => number,
): readonly AppliedLimit[] {
  if (!applied.some(isElastic) || pass?.borrow() === true) return applied;
  return applied.map((one) =>
    isElastic(one) ? { ...one, check: { ...one.check, policy: one.limit.policyWithoutExtra(nowMs()) } } : one,
  );
}

function isElastic(one: AppliedLimit | undefined): boolean {
  return one?.mode === 'enforce' && one.limit.stored.throttle?.mode === 'elastic';
}
