import * as z from 'zod';
import { displayName, optionalNote } from '../../platform/changes/text.js';

/** `decide`: the decision API. `admin`: this GraphQL API. */
export const TOKEN_SCOPES = ['decide', 'admin'] as const;

export const serviceTokenCreateSchema = z.object({
  name: displayName,
  scopes: z
    .array(z.enum(TOKEN_SCOPES, { error: `A scope is one of: ${TOKEN_SCOPES.join(', ')}` }))
    .min(1, 'A token needs a scope')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'A scope is named twice'),
  expiresAt: z
    .date()
    .nullish()
    .transform((value) => value ?? null)
    .refine((value) => value === null || value.getTime() > Date.now(), 'expiresAt must be in the future'),
  reason: optionalNote,
});

export const serviceTokenRevokeSchema = z.object({ reason: optionalNote });

/** Whether a token may be used at `nowMs`. */
export function isUsable(token: { expiresAt: Date | null; revokedAt: Date | null }, nowMs: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > nowMs);
}
