import * as z from 'zod';

/**
 * The names that people choose. They travel in URLs, Redis keys and headers, so each has one closed alphabet;
 * none contains `:`, `{` or `}`, which is what lets `keys.ts` build keys that cannot meet.
 */
const slug = (what: string, max: number) =>
  z
    .string()
    .max(max)
    .regex(
      /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
      `${what} may hold a–z, 0–9 and inner hyphens, ${max} characters at most`,
    );

/** A tenant's permanent name, `acme`: 1–48 characters. Never reused for another tenant. */
export const tenantKeySchema = slug('A tenant key', 48);

/** A protected service, `url-shortener`: 1–48 characters. */
export const apiKeySchema = slug('An API key', 48);

/** A sold level, `pro`: 1–48 characters. */
export const tierKeySchema = slug('A tier key', 48);

/** Something that is sold, `link-pack`: 1–48 characters. */
export const offerKeySchema = slug('An offer key', 48);

/** A limit, unique within its API; it appears quoted in `RateLimit-Policy`: 1–48 characters. */
export const limitNameSchema = slug('A limit name', 48);

/** An API's pool of capacity, unique within the API: 1–48 characters. */
export const poolNameSchema = slug('A pool name', 48);

/** A label to choose tenants, tiers or APIs by, `beta`: 1–48 characters. */
export const tagSchema = slug('A tag', 48);

/** One call in an API, `createURL`: 1–64 characters. */
export const operationNameSchema = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._-]{0,63}$/,
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
  .regex(
    /^[a-z][a-z0-9_]{0,31}$/,
    'A dimension is lower case: a letter, then letters, digits or "_", 32 characters at most',
  )
  .refine((name) => name !== 'tenant', {
    message: 'tenant is always counted by; leave it out, or begin with global to count all tenants together',
  });
