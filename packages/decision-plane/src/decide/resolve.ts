import { type FieldError, type LimitRequest, type TenantRecord, TollgateError } from '@tollgate/contracts';
import type { CompiledCatalogue, SourcedLimit } from '../policy/catalogue.js';
import type { EffectiveLimit, LimitMode, OperationPolicy, TierPolicy } from '../policy/tier-policy.js';
import type { Check, ReceiptOrder } from '../store/decision-store.js';
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

/** Where policy comes from. */
export interface PolicyView {
  readonly catalogue: CompiledCatalogue | undefined;
  readonly revision: number;
  /** From when on the policy is too old, unix ms; Infinity: never. */
  readonly staleFromMs: number;
  /** The record if it is here and current; null when there is no such tenant; undefined when it has to be loaded. */
  findTenant(key: string): TenantRecord | null | undefined;
  /** @throws TollgateError `tenant-unavailable` */
  loadTenant(key: string): Promise<TenantRecord | null>;
  /** The policy that a record goes with where that is not the one in force; left out: that never is. */
  pastOf?(tenant: TenantRecord): Pick<PolicyView, 'catalogue' | 'revision'> | undefined;
  /** Takes the newest policy, if there is a newer one. Never rejects. */
  refresh(): Promise<void>;
}

export interface TenantPolicy {
  readonly policy: TierPolicy;
  readonly tenant: TenantRecord;
  /** What both are of. */
  readonly revision: number;
}

/** Finds what decides for a tenant. */
export class TenantPolicies {
  constructor(
    private readonly view: PolicyView,
    private readonly nowMs: () => number,
  ) {}

  get revision(): number {
    return this.view.revision;
  }

  /** Whether the policy is too old to be gone by. */
  isStale(nowMs: number): boolean {
    return nowMs > this.view.staleFromMs;
  }

  /** The tenant and what decides for it, where both are here. */
  atHand(key: string): TenantPolicy | undefined {
    const tenant = this.view.findTenant(key);
    return tenant == null ? undefined : this.policyFor(tenant);
  }

  /** The limits on an API that apply to a tenant now, with how they came to be, and what they are of. Throws as `read`. */
  async limitsOf(key: string, api: string): Promise<{ limits: readonly SourcedLimit[]; revision: number }> {
    const { tenant } = this.atHand(key) ?? (await this.read(key));
    const { catalogue, revision } = this.view.pastOf?.(tenant) ?? this.view;
    const limits = catalogue?.limitsOf(tenant, this.nowMs()) ?? [];
    return { limits: limits.filter(({ policy }) => policy.api === api), revision };
  }

  /**
   * As `atHand`, read where it is not here.
   * @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable`
   */
  async read(key: string): Promise<TenantPolicy> {
    for (const isLastTry of [false, true]) {
      const tenant = await this.view.loadTenant(key);
      if (tenant === null) throw new TollgateError('tenant-unknown', { detail: `There is no tenant ${key}` });
      if (this.view.catalogue === undefined) throw new TollgateError('not-ready');
      // A change that came into force since has its own record of the tenant.
      const at = this.atHand(key) ?? this.policyFor(tenant);
      if (at !== undefined) return at;
      // The record is newer than the catalogue at hand: take the newest of both, once.
      if (!isLastTry) await this.view.refresh();
    }
    throw new TollgateError('tenant-unavailable', {
      internal: `tenant ${key} is on a tier version that revision ${this.revision} does not hold`,
    });
  }

  private policyFor(tenant: TenantRecord): TenantPolicy | undefined {
    const { catalogue, revision } = this.view.pastOf?.(tenant) ?? this.view;
    const policy = catalogue?.policyOf(tenant, this.nowMs);
    return policy === undefined ? undefined : { policy, tenant, revision };
  }
}

/** How long a request id is remembered, ms. */
export const REMEMBER_REQUESTS_MS = 600_000;

/** What is kept of the request: where its id makes a retry free, or what it took must be found again. */
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

/** A limit as one request meets it. */
export interface Applied {
  readonly limit: EffectiveLimit;
  readonly mode: LimitMode;
  readonly check: Check;
}

/** What a request has to be decided by. */
export type Resolution =
  | { kind: 'blocked' }
  | { kind: 'no_limit'; reason: 'NO_LIMIT' | 'EXEMPT'; cost: number }
  | { kind: 'limited'; cost: number; operation: OperationPolicy; applied: readonly Applied[] };

/**
 * Says whether a tenant may have a counter of this key: `KeyBudget.admit` takes note of it, `KeyBudget.isAdmitted` only
 * looks.
 */
export type AdmitKey = (tenant: string, key: string, nowMs: number) => boolean;

export interface ResolveOptions {
  admitKey: AdmitKey;
  unknownApis: UnknownApis;
}

/**
 * Finds the limits of a request and the counters that they use.
 *
 * @param options.admitKey where it says no, the limit's overflow counter is used
 * @throws TollgateError `api-unknown`; `dimension-invalid` for a value that cannot be read; `dimension-missing` for one that a limit with
 * `onMissing: refuse` counts by. Both name every such value of the limit.
 */
export function resolve(
  policy: TierPolicy,
  tenant: TenantRecord,
  request: LimitRequest,
  nowMs: number,
  { admitKey, unknownApis }: ResolveOptions,
): Resolution {
  if (tenant.status === 'suspended') return { kind: 'blocked' };
  const operation =
    policy.operation(request.api, request.operation) ?? policy.unregisteredOperation(request.api);
  if (operation === 'refuse') return { kind: 'blocked' };
  if (operation === 'allow' || (operation === undefined && unknownApis === 'allow'))
    return { kind: 'no_limit', reason: 'EXEMPT', cost: request.cost ?? 1 };
  if (operation === undefined)
    throw new TollgateError('api-unknown', { detail: `There is no API ${request.api}` });
  const cost = request.cost ?? operation.cost;
  const { limits } = operation;
  if (limits.length === 0 && operation.pool === undefined)
    return { kind: 'no_limit', reason: 'NO_LIMIT', cost };
  const applied: Applied[] = [];
  for (const limit of limits) {
    const one = applyLimit(limit, tenant.tenant, request, cost, nowMs, admitKey);
    if (one !== undefined) applied.push(one);
  }
  if (applied.length === 0 && operation.pool === undefined)
    return { kind: 'no_limit', reason: 'EXEMPT', cost };
  return { kind: 'limited', cost, operation, applied };
}

/** Undefined where the limit does not apply, as the request has no value for one of its dimensions. */
function applyLimit(
  limit: EffectiveLimit,
  tenant: string,
  request: LimitRequest,
  cost: number,
  nowMs: number,
  admitKey: AdmitKey,
): Applied | undefined {
  const values = valuesOf(limit, request);
  if (values === undefined) return undefined;
  const tag = limit.isGlobal ? globalTag(request.api) : tenant;
  const ownKey = counterKey(tag, limit.keyStem, values);
  const isShared = limit.dimensions.length > 0 && !admitKey(tenant, ownKey, nowMs);
  const key = isShared ? overflowKey(tag, limit.keyStem) : ownKey;
  // By its own key also beyond the budget: by the shared one, a limit would be enforced for all of them or for none.
  const mode = modeOf(limit, ownKey);
  // A slot is a slot, whatever the request costs.
  const units = limit.kind === 'concurrency' ? 1 : cost;
  return { limit, mode, check: { key, policy: limit.policy(nowMs, mode), cost: units } };
}

const NO_VALUES: readonly string[] = [];

/** Undefined for a limit that is skipped where a value is missing. */
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

// A dimension may be called `constructor`, which every object has.
function sentValue({ subject }: LimitRequest, dimension: string): string | undefined {
  return subject !== undefined && Object.hasOwn(subject, dimension) ? subject[dimension] : undefined;
}

function modeOf({ candidate, stored: { enforcement } }: EffectiveLimit, key: string): LimitMode {
  if (candidate) return 'candidate';
  if (enforcement === undefined || enforcement.mode === 'enforce') return 'enforce';
  if (enforcement.mode === 'shadow') return 'shadow';
  // Always the same for a key: a counter does not change sides between two requests.
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
