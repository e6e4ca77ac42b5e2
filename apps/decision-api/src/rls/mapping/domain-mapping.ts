import { isDimension, isOperationName, isSlug } from '@tollgate/contracts';
import type { Descriptor } from '../messages.js';
import type { DomainMappingOptions } from './mapping-schema.js';

/** Whom a descriptor is about, and what it asks for: `tenant`, or one of its keys. */
export interface MappedCall {
  readonly tenant?: string;
  readonly key?: string;
  readonly api: string;
  readonly operation: string;
  readonly subject: Record<string, string> | undefined;
}

/** Why a descriptor is about nothing that is limited. */
export interface Unmapped {
  readonly unmatched: 'domain' | 'api' | 'tenant' | 'operation';
}

type Name = 'api' | 'tenant' | 'key' | 'operation';

/** What an entry's key stands for; of several entries for one name, the lowest `rank` counts. */
type Role = { readonly name: Name; readonly rank: number } | { readonly dimension: string | null };

const NAMES = ['operation', 'key', 'tenant', 'api'] as const;

/** Reads descriptors of one domain. What they say is not checked beyond the names being names. */
export class DomainMapping {
  readonly unknownCaller: 'pass' | 'refuse';
  private readonly roles = new Map<string, Role>();

  constructor(
    private readonly domain: string,
    private readonly options: DomainMappingOptions,
  ) {
    this.unknownCaller = options.unknownCaller;
    for (const [entry, dimension] of Object.entries(options.dimensions)) this.roles.set(entry, { dimension });
    for (const name of NAMES) {
      for (const [rank, entry] of options[name].entries.entries()) this.roles.set(entry, { name, rank });
    }
  }

  /** @throws nothing: what cannot be limited is {@link Unmapped} */
  map({ entries }: Descriptor): MappedCall | Unmapped {
    const found: Partial<Record<Name, string>> = {};
    const ranks = { api: Infinity, tenant: Infinity, key: Infinity, operation: Infinity };
    let subject: Record<string, string> | undefined;
    for (const { key: entry, value } of entries) {
      // An entry may be blank: nothing is said then.
      if (value === '') continue;
      const role = this.roles.get(entry);
      if (role !== undefined && 'name' in role) {
        if (role.rank > ranks[role.name]) continue;
        ranks[role.name] = role.rank;
        found[role.name] = value;
        continue;
      }
      const dimension = role === undefined ? (isDimension(entry) ? entry : null) : role.dimension;
      if (dimension === null) continue;
      subject ??= {};
      subject[dimension] = value;
    }
    return this.callOf(found, subject);
  }

  private callOf(
    found: Partial<Record<Name, string>>,
    subject: Record<string, string> | undefined,
  ): MappedCall | Unmapped {
    const api = this.nameOf('api', found.api) ?? this.domain;
    if (!isSlug(api)) return { unmatched: 'api' };
    const operation = this.nameOf('operation', found.operation);
    if (operation === undefined || !isOperationName(operation)) return { unmatched: 'operation' };
    if (found.key !== undefined) return { key: found.key, api, operation, subject };
    const tenant = this.nameOf('tenant', found.tenant);
    if (tenant === undefined || !isSlug(tenant)) return { unmatched: 'tenant' };
    return { tenant, api, operation, subject };
  }

  private nameOf(name: Exclude<Name, 'key'>, value: string | undefined): string | undefined {
    const { values, default: usual } = this.options[name];
    if (value === undefined) return usual;
    return Object.hasOwn(values, value) ? values[value] : value;
  }
}
