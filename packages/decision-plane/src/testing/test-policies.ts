import {
  type ApiRecord,
  type LimitPolicy,
  operationNameSchema,
  type TenantRecord,
} from '@tollgate/contracts';
import type { PolicyView } from '../decide/resolve.js';
import { CompiledCatalogue } from '../policy/catalogue.js';

const TIER = 'test';

interface TestPoliciesOptions {
  limits: LimitPolicy[];
  apis?: ApiRecord[];
  tenants?: TenantRecord[];
}

/** Policy of a test plane: explicit, with defaults derived from its limits. */
export class TestPolicies implements PolicyView {
  readonly revision = 1;
  readonly staleFromMs = Number.POSITIVE_INFINITY;
  private readonly tenants: Map<string, TenantRecord>;
  /** Operations per API, where derived from requests. */
  private readonly asked: Map<string, Set<string>>;
  private compiled: CompiledCatalogue;

  constructor(private readonly options: TestPoliciesOptions) {
    this.tenants = new Map(options.tenants?.map((tenant) => [tenant.tenant, tenant]));
    this.asked = new Map(options.limits.map(({ api }) => [api, new Set<string>()]));
    for (const { api, operations } of options.limits)
      for (const name of operations) this.asked.get(api)?.add(name);
    this.compiled = this.compile();
  }

  get catalogue(): CompiledCatalogue {
    return this.compiled;
  }

  /** Adds the operation of a request, unless APIs were given, so that limits can apply to it. */
  cover(request: unknown): void {
    const { api, operation } = (request ?? {}) as { api?: unknown; operation?: unknown };
    const operations = typeof api === 'string' ? this.asked.get(api) : undefined;
    const name = operationNameSchema.safeParse(operation).data;
    if (this.options.apis !== undefined || operations === undefined || name === undefined) return;
    if (operations.has(name)) return;
    operations.add(name);
    this.compiled = this.compile();
  }

  findTenant(key: string): TenantRecord | null {
    const known = this.tenants.get(key);
    if (known !== undefined || this.options.tenants !== undefined) return known ?? null;
    const made: TenantRecord = {
      kind: 'tenant',
      revision: 1,
      tenant: key,
      status: 'active',
      tier: TIER,
      pinnedVersion: null,
    };
    this.tenants.set(key, made);
    return made;
  }

  loadTenant(key: string): Promise<TenantRecord | null> {
    return Promise.resolve(this.findTenant(key));
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  private compile(): CompiledCatalogue {
    const { apis, limits } = this.options;
    return CompiledCatalogue.compile(
      JSON.stringify({
        kind: 'catalogue',
        revision: 1,
        apis: apis ?? [...this.asked].map(([key, operations]) => apiOf(key, operations)),
        tiers: [{ key: TIER, currentVersion: 1, versions: [{ number: 1, limits }] }],
        serviceTokens: [],
      }),
    );
  }
}

function apiOf(key: string, operations: Iterable<string>): ApiRecord {
  return {
    key,
    unknownOperations: 'count',
    operations: [...operations].map((name) => ({ name, cost: 1 })),
  };
}
