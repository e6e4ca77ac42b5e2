import { apiKeySchema, dimensionSchema, operationNameSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';

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
