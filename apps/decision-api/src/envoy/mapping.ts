import { readFileSync } from 'node:fs';
import {
  apiKeySchema,
  dimensionSchema,
  isDimension,
  isOperationName,
  isSlug,
  operationNameSchema,
  tenantKeySchema,
} from '@tollgate/contracts';
import * as z from 'zod';
import { type Descriptor } from './codec.js';

const entryKey = z.string().min(1).max(256);
const entryKeys = z.array(entryKey).max(16);

/** Where a name comes from: the first of `entries` that a descriptor has, by `values` where they list it, else `default`. */
const sourceOf = (name: z.ZodType<string>, usual: readonly string[]) =>
  z
    .strictObject({
      entries: entryKeys.default([...usual]),
      values: z.record(z.string(), name).default({}),
      default: name.optional(),
    })
    .prefault({});

/** How the descriptors of one domain become requests. */
export const domainMappingSchema = z.strictObject({
  /** Without an entry or a default: the API is called as the domain. */
  api: sourceOf(apiKeySchema, ['api']),
  tenant: sourceOf(tenantKeySchema, ['tenant']),
  /** Entries that hold an API key of the tenant, `tgk_…`, in place of its name. */
  key: z.strictObject({ entries: entryKeys.default(['key']) }).prefault({}),
  operation: sourceOf(operationNameSchema, ['operation', 'generic_key']),
  /** What other entries count as; null: nothing. Those that are not named count as the dimension of their own name. */
  dimensions: z.record(entryKey, dimensionSchema.nullable()).default({ remote_address: 'ip' }),
  /** What becomes of a request whose tenant or key is not known: `pass`, without a limit, or `refuse`. */
  unknownCaller: z.enum(['pass', 'refuse']).default('pass'),
});

/** The file that `RLS_MAPPING_FILE` names. */
export const mappingFileSchema = z.strictObject({
  domains: z.record(z.string().min(1).max(256), domainMappingSchema).default({}),
  /** Domains that are not listed: read by the defaults, or not limited at all. */
  otherDomains: z.enum(['default', 'unlimited']).default('default'),
});

export type DomainMappingOptions = z.output<typeof domainMappingSchema>;
export type MappingFile = z.output<typeof mappingFileSchema>;

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

/** Domains that are not listed, of which the mapping is kept: what they are called, callers say. */
const MAX_OTHERS = 1000;

/** How descriptors of each domain become requests. */
export class DomainMappings {
  private readonly listed: ReadonlyMap<string, DomainMapping>;
  private readonly others = new Map<string, DomainMapping>();

  constructor(private readonly file: MappingFile) {
    this.listed = new Map(
      Object.entries(file.domains).map(([domain, options]) => [domain, new DomainMapping(domain, options)]),
    );
  }

  /** Undefined: the domain is not limited. */
  of(domain: string): DomainMapping | undefined {
    const listed = this.listed.get(domain) ?? this.others.get(domain);
    if (listed !== undefined || this.file.otherDomains === 'unlimited') return listed;
    const mapping = new DomainMapping(domain, domainMappingSchema.parse({}));
    if (this.others.size >= MAX_OTHERS) this.others.clear();
    this.others.set(domain, mapping);
    return mapping;
  }
}

/** Every domain by the defaults. */
export function defaultMappings(): DomainMappings {
  return new DomainMappings(mappingFileSchema.parse({}));
}

/** Reads a mapping as it stands in a file. @throws Error that names each field that is wrong */
export function parseMappings(text: string): DomainMappings {
  const parsed = mappingFileSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return new DomainMappings(parsed.data);
}

/** @param path left out: every domain by the defaults. @throws Error that names the file */
export function readMappings(path: string | undefined): DomainMappings {
  if (path === undefined) return defaultMappings();
  try {
    return parseMappings(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`RLS_MAPPING_FILE ${path}: ${reason}`, { cause: error });
  }
}
