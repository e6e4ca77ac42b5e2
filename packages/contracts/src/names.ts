import * as z from 'zod';

/**
 * The names that people choose. They travel in URLs, Redis keys and headers, so each has one closed alphabet;
 * none contains `:`, `{` or `}`, which is what lets `keys.ts` build keys that cannot meet.
 */
const SLUG = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_SLUG = 48;
const OPERATION = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const DIMENSION = /^[a-z][a-z0-9_]{0,31}$/;

/** Whether a text may be the key of a tenant or an API: the schemas' word, for those who ask thousands of times a second. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG && SLUG.test(text);
}

/** So too for the name of an operation. */
export function isOperationName(text: string): boolean {
  return OPERATION.test(text);
}

/** So too for a dimension that a request may say. */
export function isDimension(text: string): boolean {
  return text !== 'tenant' && DIMENSION.test(text);
}

const slug = (what: string, max: number) =>
  z.string().max(max).regex(SLUG, `${what} may hold a–z, 0–9 and inner hyphens, ${max} characters at most`);

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

/** A label to choose tenants, tiers or APIs by, `beta`: 1–48 characters. */
export const tagSchema = slug('A tag', MAX_SLUG);

/** One call in an API, `createURL`: 1–64 characters. */
export const operationNameSchema = z
  .string()
  .regex(
    OPERATION,
    'An operation name starts with a letter and may hold letters, digits, ".", "_" and "-", 64 characters at most',
  );

/** What an API key may be used for: an API, `url-shortener`, or one operation of it, `url-shortener/createURL`. */
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
 * label that the caller sends. `global` stands for all tenants together.
 */
export const dimensionSchema = z
  .string()
  .regex(DIMENSION, 'A dimension is lower case: a letter, then letters, digits or "_", 32 characters at most')
  .refine((name) => name !== 'tenant', {
    message: 'tenant is always counted by; leave it out, or begin with global to count all tenants together',
  });
