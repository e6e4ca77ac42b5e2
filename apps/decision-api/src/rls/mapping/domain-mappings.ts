import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { DomainMapping } from './domain-mapping.js';
import { domainMappingSchema, type MappingFile, mappingFileSchema } from './mapping-schema.js';

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
