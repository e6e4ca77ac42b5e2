import { coversApi, type TenantRecord, TollgateError } from '@tollgate/contracts';
import type { CompiledCatalogue, SourcedLimit, TierPolicy } from '@tollgate/policy';

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
  /** Of a child: the policy of its parent, whose shared limits apply too. */
  readonly parent?: TenantPolicy;
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
    if (tenant == null) return undefined;
    return this.policyFor(
      tenant,
      tenant.parent === undefined ? undefined : this.view.findTenant(tenant.parent),
    );
  }

  /** @throws TollgateError `not-ready`, `tenant-unknown`, `tenant-unavailable` */
  async load(key: string): Promise<TenantPolicy> {
    for (const isLastTry of [false, true]) {
      const tenant = await this.view.loadTenant(key);
      if (tenant === null) throw new TollgateError('tenant-unknown', { detail: `There is no tenant ${key}` });
      const parent = tenant.parent === undefined ? undefined : await this.view.loadTenant(tenant.parent);
      if (this.view.catalogue === undefined) throw new TollgateError('not-ready');
      // A revision applied during the load has its own records.
      const at = this.find(key) ?? this.policyFor(tenant, parent);
      if (at !== undefined) return at;
      // The record is newer than the catalogue: refresh both, once.
      if (!isLastTry) await this.view.refresh();
    }
    throw new TollgateError('tenant-unavailable', {
      internal: `tenant ${key} or its parent is on a tier version that revision ${this.revision} does not contain, or the parent is missing`,
    });
  }

  /** Throws as `load`. */
  async limitsOf(key: string, api: string): Promise<{ limits: readonly SourcedLimit[]; revision: number }> {
    const { tenant, catalogue, revision, parent } = this.find(key) ?? (await this.load(key));
    const nowMs = this.nowMs();
    const own = catalogue.limitsOf(tenant, nowMs) ?? [];
    // Without the steps to the parent's limit: they are the parent's purchases.
    const shared = (parent?.catalogue.limitsOf(parent.tenant, nowMs) ?? [])
      .filter(({ policy }) => policy.sharedWithChildren === true)
      .map((limit): SourcedLimit => ({ ...limit, provenance: [], source: 'parent' }));
    return { limits: [...own, ...shared].filter(({ policy }) => coversApi(policy, api)), revision };
  }

  /** @param parent of a child, which is not decided without it */
  private policyFor(tenant: TenantRecord, parent: TenantRecord | null | undefined): TenantPolicy | undefined {
    const own = this.ownPolicyOf(tenant);
    if (own === undefined || tenant.parent === undefined) return own;
    const ofParent = parent == null ? undefined : this.ownPolicyOf(parent);
    return ofParent && { ...own, untilMs: Math.min(own.untilMs, ofParent.untilMs), parent: ofParent };
  }

  private ownPolicyOf(tenant: TenantRecord): TenantPolicy | undefined {
    const { catalogue, revision } = this.view.pastOf?.(tenant) ?? this.view;
    const policy = catalogue?.policyOf(tenant, this.nowMs);
    if (catalogue === undefined || policy === undefined) return undefined;
    return { policy, tenant, revision, untilMs: catalogue.policyUntilMs(tenant), catalogue };
  }
}
