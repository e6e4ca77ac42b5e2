import { readFileSync } from 'node:fs';
import {
  apiKeySchema,
  countableOperation,
  countableSubject,
  dimensionSchema,
  isDimension,
  isSlug,
  operationNameSchema,
  tenantKeySchema,
} from '@tollgate/contracts';
import { StartError } from '@tollgate/logging';
import * as z from 'zod';
import { type Descriptor } from './messages.js';

const entryKey = z.string().min(1).max(256);
const entryKeys = z.array(entryKey).max(16);

/** Source of a name: the first of `entries` that the descriptor has, mapped by `values`, else `default`. */
const sourceOf = (name: z.ZodType<string>, usual: readonly string[]) =>
  z
    .strictObject({
      entries: entryKeys.default([...usual]),
      values: z.record(z.string(), name).default({}),
      default: name.optional(),
    })
    .prefault({});

export const domainMappingSchema = z.strictObject({
  /** Default: the name of the domain. */
  api: sourceOf(apiKeySchema, ['api']),
  tenant: sourceOf(tenantKeySchema, ['tenant']),
  /** Entries that contain a tenant API key (`tgk_…`), used instead of the tenant name. */
  key: z.strictObject({ entries: entryKeys.default(['key']) }).prefault({}),
  operation: sourceOf(operationNameSchema, ['operation', 'generic_key']),
  /** Dimension of other entries; null: ignored. Unlisted entries use their own name as the dimension. */
  dimensions: z.record(entryKey, dimensionSchema.nullable()).default({ remote_address: 'ip' }),
  /** Decision for a tenant, key or API that is unknown or malformed, or for none. */
  unknownCaller: z.enum(['allow', 'deny']).default('deny'),
});

export const mappingFileSchema = z.strictObject({
  domains: z.record(z.string().min(1).max(256), domainMappingSchema).default({}),
  /** Domains that are not listed: use the default mapping, or no limits. */
  otherDomains: z.enum(['default', 'unlimited']).default('default'),
});

export type DomainMappingOptions = z.output<typeof domainMappingSchema>;
export type MappingFile = z.output<typeof mappingFileSchema>;

export interface MappedCall {
  readonly tenant?: string;
  readonly key?: string;
  readonly api: string;
  readonly operation: string;
  readonly subject: Record<string, string> | undefined;
}

/** The name that is missing or malformed. `domain`: unlisted domains have no limits. */
export interface Unmapped {
  readonly unmatched: 'domain' | 'api' | 'tenant';
}

type Name = 'api' | 'tenant' | 'key' | 'operation';

/** Meaning of an entry key; if several entries give the same name, the lowest `rank` wins. */
type Role = { readonly name: Name; readonly rank: number } | { readonly dimension: string | null };

const NAMES = ['operation', 'key', 'tenant', 'api'] as const;

/**
 * Maps descriptors of one domain to requests. Validates only the syntax of names. Clients choose many of the values, so each
 * stays countable: overlong ones are hashed, and an operation without a valid name counts as an unregistered one.
 */
export class DomainMapping {
  readonly unknownCaller: 'allow' | 'deny';
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

  /** Never throws: a descriptor that cannot be limited is {@link Unmapped}. */
  map({ entries }: Descriptor): MappedCall | Unmapped {
    const found: Partial<Record<Name, string>> = {};
    const ranks = { api: Infinity, tenant: Infinity, key: Infinity, operation: Infinity };
    let subject: Record<string, string> | undefined;
    for (const { key: entry, value } of entries) {
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
    const operation = countableOperation(this.nameOf('operation', found.operation));
    const countable = subject === undefined ? undefined : countableSubject(subject);
    if (found.key !== undefined) return { key: found.key, api, operation, subject: countable };
    const tenant = this.nameOf('tenant', found.tenant);
    if (tenant === undefined || !isSlug(tenant)) return { unmatched: 'tenant' };
    return { tenant, api, operation, subject: countable };
  }

  private nameOf(name: Exclude<Name, 'key'>, value: string | undefined): string | undefined {
    const { values, default: usual } = this.options[name];
    if (value === undefined) return usual;
    return Object.hasOwn(values, value) ? values[value] : value;
  }
}

/** Maximum number of unlisted domains in the cache; domain names come from callers. */
const MAX_OTHERS = 1000;

export class DomainMappings {
  private readonly listed: ReadonlyMap<string, DomainMapping>;
  private readonly others = new Map<string, DomainMapping>();

  constructor(private readonly file: MappingFile) {
    this.listed = new Map(
      Object.entries(file.domains).map(([domain, options]) => [domain, new DomainMapping(domain, options)]),
    );
  }

  of(domain: string): DomainMapping | undefined {
    const listed = this.listed.get(domain) ?? this.others.get(domain);
    if (listed !== undefined || this.file.otherDomains === 'unlimited') return listed;
    const mapping = new DomainMapping(domain, domainMappingSchema.parse({}));
    if (this.others.size >= MAX_OTHERS) this.others.clear();
    this.others.set(domain, mapping);
    return mapping;
  }
}

export function defaultMappings(): DomainMappings {
  return new DomainMappings(mappingFileSchema.parse({}));
}

export function parseMappings(text: string): DomainMappings {
  const parsed = mappingFileSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return new DomainMappings(parsed.data);
}

/** @param path undefined: the default mapping for every domain. @throws Error that names the file */
export function readMappings(path: string | undefined): DomainMappings {
  if (path === undefined) return defaultMappings();
  try {
    return parseMappings(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`RLS_MAPPING_FILE ${path}: ${reason}`, { cause: error });
  }
}
