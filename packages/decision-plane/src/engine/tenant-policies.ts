import { type TenantRecord, TollgateError } from '@tollgate/contracts';
import type { CompiledCatalogue, SourcedLimit } from '../policy/catalogue.js';
import type { TierPolicy } from '../policy/tier-policy.js';

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
