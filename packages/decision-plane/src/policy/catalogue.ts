import {
  type Catalogue,
  catalogueSchema,
  type ServiceTokenRecord,
  type TenantRecord,
} from '@tollgate/contracts';
import { type CompiledLimit, compileLimit } from './compile.js';

/** What applies to one operation. */
export interface OperationPolicy {
  /** What a request costs unless it says otherwise. */
  readonly cost: number;
  readonly limits: readonly CompiledLimit[];
}

/** Costs of an API's operations, and what it does with others. */
interface CompiledApi {
  readonly refusesUnknown: boolean;
  readonly costs: ReadonlyMap<string, number>;
}

/** One tier version over all APIs: what decides for every tenant that is on it. */
export class TierPolicy {
  private readonly operations = new Map<string, Map<string, OperationPolicy>>();

  constructor(
    private readonly apis: ReadonlyMap<string, CompiledApi>,
    private readonly limits: readonly CompiledLimit[],
  ) {
    for (const [key, { costs }] of apis) {
      const limitsOfApi = this.limitsOf(key);
      const operations = new Map<string, OperationPolicy>();
      for (const [name, cost] of costs) {
        operations.set(name, { cost, limits: limitsOfApi.filter((limit) => covers(limit, name)) });
      }
      this.operations.set(key, operations);
    }
  }

  /** What applies to a call; undefined when nobody configured the operation. */
  operation(api: string, operation: string): OperationPolicy | undefined {
    return this.operations.get(api)?.get(operation);
  }

  /** Every limit on `api`. */
  limitsOf(api: string): CompiledLimit[] {
    return this.limits.filter((limit) => limit.stored.api === api);
  }

  /** Whether the API answers calls that nobody configured with a refusal. */
  refusesUnknown(api: string): boolean {
    return this.apis.get(api)?.refusesUnknown ?? false;
  }
}

/** The catalogue, indexed for decisions. Immutable: a change makes a new one, so no decision ever mixes two. */
export class CompiledCatalogue {
  readonly serviceTokens: ReadonlyMap<string, ServiceTokenRecord>;
  private readonly currentVersions: ReadonlyMap<string, number>;
  private readonly byRecord = new WeakMap<TenantRecord, TierPolicy>();

  private constructor(
    catalogue: Catalogue,
    private readonly tierPolicies: ReadonlyMap<string, TierPolicy>,
  ) {
    this.serviceTokens = new Map(catalogue.serviceTokens.map((token) => [token.publicId, token]));
    this.currentVersions = new Map(catalogue.tiers.map((tier) => [tier.key, tier.currentVersion]));
  }

  /** Compiles a catalogue's JSON text. @throws Error that says which part cannot be used: the node's NACK. */
  static compile(text: string): CompiledCatalogue {
    const parsed = catalogueSchema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new Error(`catalogue: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const apis = new Map(parsed.data.apis.map((api) => [api.key, compileApi(api)]));
    const policies = new Map<string, TierPolicy>();
    for (const tier of parsed.data.tiers) {
      for (const { number, limits } of tier.versions) {
        const name = versionKey(tier.key, number);
        const compiled = limits.map((stored) => compileOrThrow(stored, name));
        policies.set(name, new TierPolicy(apis, compiled));
      }
    }
    return new CompiledCatalogue(parsed.data, policies);
  }

  /** What decides for a tenant; undefined when its tier version is not in this catalogue. */
  policyOf(tenant: TenantRecord): TierPolicy | undefined {
    const known = this.byRecord.get(tenant);
    if (known !== undefined) return known;
    const version = tenant.pinnedVersion ?? this.currentVersions.get(tenant.tier) ?? 0;
    const policy = this.tierPolicies.get(versionKey(tenant.tier, version));
    if (policy !== undefined) this.byRecord.set(tenant, policy);
    return policy;
  }
}

function compileApi(api: Catalogue['apis'][number]): CompiledApi {
  return {
    refusesUnknown: api.unknownOperations === 'refuse',
    costs: new Map(api.operations.map(({ name, cost }) => [name, cost])),
  };
}

function compileOrThrow(stored: Parameters<typeof compileLimit>[0], version: string): CompiledLimit {
  const result = compileLimit(stored);
  if (result.ok) return result.limit;
  const error = result.errors[0];
  throw new Error(`tier ${version}, limit ${stored.name}: ${error?.field}: ${error?.message}`);
}

function covers({ stored: { operations } }: CompiledLimit, operation: string): boolean {
  return operations.length === 0 || operations.includes(operation);
}

function versionKey(tier: string, version: number): string {
  return `${tier}@${version}`;
}
