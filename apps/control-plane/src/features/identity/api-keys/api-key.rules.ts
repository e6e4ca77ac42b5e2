import { keyScopeSchema, MAX_KEY_SCOPES, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault } from '../../../platform/changes/text.js';
import { ApiKeyMode } from '../../../platform/prisma/schema.js';

/** The longest that two secrets of a key may both work. */
const MAX_OVERLAP_HOURS = 30 * 24;

const target = z.object({ tenantKey: tenantKeySchema, id: z.string(), reason: optionalNote });

export const apiKeyCreateSchema = z.object({
  tenantKey: tenantKeySchema,
  name: displayName,
  mode: orDefault(z.enum(ApiKeyMode), ApiKeyMode.LIVE),
  scopes: orDefault(
    z
      .array(keyScopeSchema)
      .max(MAX_KEY_SCOPES, `At most ${MAX_KEY_SCOPES} scopes`)
      .refine((scopes) => new Set(scopes).size === scopes.length, 'A scope is named twice'),
    [],
  ),
  expiresAt: z
    .date()
    .nullish()
    .transform((value) => value ?? null),
  reason: optionalNote,
});

export const apiKeyRotateSchema = target.extend({
  overlapHours: orDefault(
    z
      .int()
      .min(0, 'overlapHours must be 0 or more')
      .max(MAX_OVERLAP_HOURS, `overlapHours must be ${MAX_OVERLAP_HOURS} or less`),
    24,
  ),
});

export const apiKeyRevokeSchema = target;

/** Whether a key works at `now`, as far as it goes by itself. */
export function isLive(key: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

/** The API that a scope names. */
export function apiOf(scope: string): string {
  return scope.split('/')[0] ?? scope;
}
