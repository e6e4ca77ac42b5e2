import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Actor } from '../../../platform/access/actor.js';
import { checkGrant, tokenGrant } from '../../../platform/access/grants.js';
import { SCOPE_RIGHTS, TOKEN_SCOPES } from '../../../platform/access/token-scopes.js';
import { displayName, optionalNote } from '../../../platform/changes/text.js';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';

const DEFAULT_OVERLAP_MINUTES = 24 * 60;
const MAX_OVERLAP_MINUTES = 30 * 24 * 60;
const MAX_TENANTS = 100;

const unique = (values: readonly string[]) => new Set(values).size === values.length;
const isDecisionScope = (scope: string) => scope === 'decide' || scope === 'reset';
const scopeHint = `A scope is one of ${Object.keys(SCOPE_RIGHTS).join(', ')}, or a permission such as tiers:write`;

export const serviceTokenCreateSchema = z
  .object({
    name: displayName,
    scopes: z
      .array(z.string().refine((scope) => (TOKEN_SCOPES as readonly string[]).includes(scope), scopeHint))
      .min(1, 'A token needs a scope')
      .refine(unique, 'A scope is named twice'),
    tenantKeys: z
      .array(tenantKeySchema)
      .max(MAX_TENANTS, `At most ${MAX_TENANTS} tenants`)
      .refine(unique, 'A tenant is named twice')
      .nullish()
      .transform((keys) => keys ?? []),
    expiresAt: z
      .date()
      .nullish()
      .transform((value) => value ?? null)
      .refine((value) => value === null || value.getTime() > Date.now(), 'expiresAt must be in the future'),
    reason: optionalNote,
  })
  .refine(({ scopes, tenantKeys }) => tenantKeys.length === 0 || !scopes.some(isDecisionScope), {
    path: ['tenantKeys'],
    message:
      'Tokens of the decision API are for every tenant: leave out `decide` and `reset`, or the tenants',
  });

export const serviceTokenRevokeSchema = z.object({ reason: optionalNote });

export const serviceTokenRotateSchema = z.object({
  overlapMinutes: z
    .int()
    .min(0, 'overlapMinutes cannot be negative')
    .max(MAX_OVERLAP_MINUTES, `At most ${MAX_OVERLAP_MINUTES} minutes, which is 30 days`)
    .nullish()
    .transform((minutes) => minutes ?? DEFAULT_OVERLAP_MINUTES),
  reason: optionalNote,
});

/** Whether a token may be used at `nowMs`. */
export function isUsable(token: { expiresAt: Date | null; revokedAt: Date | null }, nowMs: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > nowMs);
}

/** Scopes that hold a right which the issuer lacks, everywhere or in one of the token's tenants. */
export function findExcessiveScopes(
  issuer: Pick<Actor, 'ability'>,
  { scopes, tenantKeys }: { scopes: readonly string[]; tenantKeys: readonly string[] },
): UserError[] {
  return scopes.flatMap(
    (scope, index) => checkGrant(issuer, tokenGrant([scope], tenantKeys), ['scopes', String(index)]) ?? [],
  );
}
