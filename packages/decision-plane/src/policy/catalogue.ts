import {
  type Catalogue,
  catalogueSchema,
  type ServiceTokenRecord,
  type TenantRecord,
} from '@tollgate/contracts';
import { type CompiledLimit, compileLimit } from './compile.js';

/** One operation as a tier sees it. */
export interface OperationPolicy {
  /** What a request costs unless it says otherwise. */
  readonly cost: number;
  readonly limits: readonly CompiledLimit[];
}

interface CompiledApi {
  readonly refusesUnknown: boolean;
  readonly costs: ReadonlyMap<string, number>;
}

/** The catalogue, indexed for decisions. Immutable: a change makes a new one, so no decision ever mixes two. */
export class CompiledCatalogue {
  readonly revision: number;
  readonly serviceTokens: ReadonlyMap<string, ServiceTokenRecord>;
  private readonly apis: ReadonlyMap<string, CompiledApi>;
  private readonly currentVersions: ReadonlyMap<string, number>;
  private readonly limits: ReadonlyMap<string, readonly CompiledLimit[]>;
  private readonly operations = new Map<string, OperationPolicy>();

  private constructor(catalogue: Catalogue, limits: Map<string, readonly CompiledLimit[]>) {
    this.revision = catalogue.revision;
    this.limits = limits;
    this.serviceTokens = new Map(catalogue.serviceTokens.map((token) => [token.publicId, token]));
    this.currentVersions = new Map(catalogue.tiers.map((tier) => [tier.key, tier.currentVersion]));
    this.apis = new Map(
      catalogue.apis.map((api) => [
        api.key,
        {
          refusesUnknown: api.unknownOperations === 'refuse',
          costs: new Map(api.operations.map(({ name, cost }) => [name, cost])),
        },
      ]),
    );
  }

  /** Compiles a catalogue's JSON text. @throws Error that says which part cannot be used: the node's NACK. */
  static compile(text: string): CompiledCatalogue {
    const parsed = catalogueSchema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new Error(`catalogue: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const limits = new Map<string, readonly CompiledLimit[]>();
    for (const tier of parsed.data.tiers) {
      for (const version of tier.versions) {
        const compiled = version.limits.map((stored) => {
          const result = compileLimit(stored);
          if (result.ok) return result.limit;
          const error = result.errors[0];
          throw new Error(
            `tier ${tier.key} v${version.number}, limit ${stored.name}: ${error?.field}: ${error?.message}`,
          );
        });
        limits.set(versionKey(tier.key, version.number), compiled);
      }
    }
    return new CompiledCatalogue(parsed.data, limits);
  }

  /** Whether `tenant` runs on a tier version that this catalogue holds. */
  covers(tenant: TenantRecord): boolean {
    return this.limits.has(this.versionOf(tenant));
  }

  /** What applies to a call of a configured operation; undefined when nobody configured it. */
  operation(tenant: TenantRecord, api: string, operation: string): OperationPolicy | undefined {
    const version = this.versionOf(tenant);
    const key = `${version}\n${api}\n${operation}`;
    const known = this.operations.get(key);
    if (known !== undefined) return known;
    const cost = this.apis.get(api)?.costs.get(operation);
    if (cost === undefined) return undefined;
    const limits = (this.limits.get(version) ?? []).filter(
      (limit) => limit.api === api && (limit.operations.length === 0 || limit.operations.includes(operation)),
    );
    const policy = { cost, limits };
    this.operations.set(key, policy);
    return policy;
  }

  /** Every limit of the tenant's tier on `api`. */
  limitsOf(tenant: TenantRecord, api: string): CompiledLimit[] {
    return (this.limits.get(this.versionOf(tenant)) ?? []).filter((limit) => limit.api === api);
  }

  /** Whether the API answers calls that nobody configured with a refusal. */
  refusesUnknown(api: string): boolean {
    return this.apis.get(api)?.refusesUnknown ?? false;
  }

  private versionOf(tenant: TenantRecord): string {
    return versionKey(tenant.tier, tenant.pinnedVersion ?? this.currentVersions.get(tenant.tier) ?? 0);
  }
}

function versionKey(tier: string, version: number): string {
  return `${tier}@${version}`;
}
