import * as z from 'zod';
import { OPERATION_NAME } from './countable.js';
import { canonicalTimeZone } from './time-zones.js';

/** Names occur in URLs, Redis keys and headers. Without `:`, `{` and `}`, keys cannot collide. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_SLUG = 48;
const DIMENSION = /^[a-z][a-z0-9_]{0,31}$/;

/** Same result as the schemas, for hot paths. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG && SLUG.test(text);
}

export function isDimension(text: string): boolean {
  return text !== 'tenant' && DIMENSION.test(text);
}

const slug = (what: string) =>
  z
    .string()
    .max(MAX_SLUG)
    .regex(SLUG, `${what} can contain a–z, 0–9 and inner hyphens, up to ${MAX_SLUG} characters`);

export const tenantKeySchema = slug('A tenant key');

export const apiKeySchema = slug('An API key');

export const tierKeySchema = slug('A tier key');

export const offerKeySchema = slug('An offer key');

export const limitNameSchema = slug('A limit name');

export const poolNameSchema = slug('A pool name');

export const tagSchema = slug('A tag');

/** Accepts aliases in any case, outputs the canonical name. Offsets such as `+02:00` know no daylight saving. */
export const timeZoneSchema = z
  .string()
  .max(64)
  .transform((name, context) => {
    const canonical = canonicalTimeZone(name);
    if (canonical !== undefined) return canonical;
    context.addIssue('Not the IANA name of a time zone, such as Europe/Berlin');
    return z.NEVER;
  });

export const operationNameSchema = z
  .string()
  .regex(
    OPERATION_NAME,
    'An operation name starts with a letter and can contain letters, digits, ".", "_" and "-", up to 64 characters',
  );

/** An API, or one of its operations, `url-shortener/createURL`. */
export const keyScopeSchema = z.string().refine((scope) => {
  const slash = scope.indexOf('/');
  if (slash < 0) return apiKeySchema.safeParse(scope).success;
  return (
    apiKeySchema.safeParse(scope.slice(0, slash)).success &&
    operationNameSchema.safeParse(scope.slice(slash + 1)).success
  );
}, 'A scope is the key of an API, or that and an operation, such as url-shortener/createURL');

/** An attribute of a request's subject, such as `user`, `ip` or `key`. */
export const subjectDimensionSchema = z
  .string()
  .regex(DIMENSION, 'A dimension is lower case: a letter, then letters, digits or "_", up to 32 characters');

/** Counted in addition to the tenant: `user`, `ip`, `key` or any label. `global`: all tenants together. */
export const dimensionSchema = subjectDimensionSchema.refine((name) => name !== 'tenant', {
  message: 'tenant is always included; remove it, or use global to count all tenants together',
});
