import * as z from 'zod';

/**
 * Patterns of user-chosen names. Names occur in URLs, Redis keys and headers, so their alphabets exclude `:`, `{` and
 * `}`; this lets `keys.ts` build keys that cannot collide.
 */
const SLUG = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_SLUG = 48;
const OPERATION = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const DIMENSION = /^[a-z][a-z0-9_]{0,31}$/;

/** Whether a text is a valid tenant or API key. Same result as the schemas, for hot paths. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG && SLUG.test(text);
}

/** So too for the name of an operation. */
export function isOperationName(text: string): boolean {
  return OPERATION.test(text);
}

/** The same for a dimension in a request. */
export function isDimension(text: string): boolean {
  return text !== 'tenant' && DIMENSION.test(text);
}

const slug = (what: string, max: number) =>
  z.string().max(max).regex(SLUG, `${what} can contain a–z, 0–9 and inner hyphens, up to ${max} characters`);

/** A tenant's permanent name, `acme`: 1–48 characters. Never reused for another tenant. */
export const tenantKeySchema = slug('A tenant key', MAX_SLUG);

/** A protected service, `url-shortener`: 1–48 characters. */
export const apiKeySchema = slug('An API key', MAX_SLUG);

/** A sold level, `pro`: 1–48 characters. */
export const tierKeySchema = slug('A tier key', MAX_SLUG);

/** Something that is sold, `link-pack`: 1–48 characters. */
export const offerKeySchema = slug('An offer key', MAX_SLUG);

/** A limit, unique within its API; it appears quoted in `RateLimit-Policy`: 1–48 characters. */
export const limitNameSchema = slug('A limit name', MAX_SLUG);

/** An API's pool of capacity, unique within the API: 1–48 characters. */
export const poolNameSchema = slug('A pool name', MAX_SLUG);

/** A label that selects tenants, tiers or APIs, `beta`: 1–48 characters. */
export const tagSchema = slug('A tag', MAX_SLUG);

/** One call in an API, `createURL`: 1–64 characters. */
export const operationNameSchema = z
  .string()
  .regex(
    OPERATION,
    'An operation name starts with a letter and can contain letters, digits, ".", "_" and "-", up to 64 characters',
  );

/** Scope of an API key: an API, `url-shortener`, or one of its operations, `url-shortener/createURL`. */
export const keyScopeSchema = z.string().refine((scope) => {
  const slash = scope.indexOf('/');
  if (slash < 0) return apiKeySchema.safeParse(scope).success;
  return (
    apiKeySchema.safeParse(scope.slice(0, slash)).success &&
    operationNameSchema.safeParse(scope.slice(slash + 1)).success
  );
}, 'A scope is the key of an API, or that and an operation, such as url-shortener/createURL');

/**
 * What a limit counts by besides the tenant: `user`, `device`, `ip`, `key`, `service`, `region`, `shard`, or any
 * label that the caller sends. `global` counts all tenants together.
 */
export const dimensionSchema = z
  .string()
  .regex(DIMENSION, 'A dimension is lower case: a letter, then letters, digits or "_", up to 32 characters')
  .refine((name) => name !== 'tenant', {
    message: 'tenant is always included; remove it, or use global to count all tenants together',
  });
