import { coversApi, type TenantRecord, TollgateError } from '@tollgate/contracts';
import type { CompiledCatalogue, SourcedLimit, TierPolicy } from '../policy/catalogue.js';

export interface PolicyView {
  readonly catalogue: CompiledCatalogue | undefined;
  readonly revision: number;
  /** When the policy becomes stale, Unix ms; Infinity: never. */
  readonly staleFromMs: number;
  /** Changes whenever a found tenant or its policy may have changed; undefined: do not remember what was found. */
  readonly version?: number | undefined;
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
  /** When a scheduled change of the tenant's limits is due, Unix ms; Infinity: none. */
  readonly untilMs: number;
  readonly catalogue: CompiledCatalogue;
}

export class TenantPolicies {
  constructor(
    private readonly view: PolicyView,
    private readonly nowMs: () => number,
  ) {}

  get revision(): number {
    return this.view.revision;
  }

  /** As `PolicyView.version`. */
  get version(): number | undefined {
    return this.view.version;
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
    return { limits: limits.filter(({ policy }) => coversApi(policy, api)), revision };
  }

  private policyFor(tenant: TenantRecord): TenantPolicy | undefined {
    const { catalogue, revision } = this.view.pastOf?.(tenant) ?? this.view;
    const policy = catalogue?.policyOf(tenant, this.nowMs);
    if (catalogue === undefined || policy === undefined) return undefined;
    return { policy, tenant, revision, untilMs: catalogue.policyUntilMs(tenant), catalogue };
  }
}
