import { InputType, ObjectType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Actor } from '../../../platform/access/actor.js';
import { checkGrant, tokenGrant } from '../../../platform/access/grants.js';
import { SCOPE_RIGHTS, TOKEN_SCOPES } from '../../../platform/access/token-scopes.js';
import { displayName, optionalNote } from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import type { UserError } from '../../../platform/graphql/user-error.graphql.js';

const DEFAULT_OVERLAP_MINUTES = 24 * 60;
const MAX_OVERLAP_MINUTES = 30 * 24 * 60;
const MAX_TENANTS = 100;

const unique = (values: readonly string[]) => new Set(values).size === values.length;
const isDecisionScope = (scope: string) => scope === 'decide' || scope === 'reset';
const scopeHint = `A scope is one of ${Object.keys(SCOPE_RIGHTS).join(', ')} or a permission such as tiers:write`;

export const serviceTokenCreateSchema = z
  .object({
    name: displayName.describe('Display name, such as its purpose.'),
    scopes: z
      .array(z.string().refine((scope) => (TOKEN_SCOPES as readonly string[]).includes(scope), scopeHint))
      .min(1, 'At least one scope is required')
      .refine(unique, 'Duplicate scope')
      .describe(
        'One or more of `decide` (call the decision API), `admin` (everything), `read` (read everything), `policy`, `tenants` and `billing` (the permissions of these areas), or single permissions such as `tiers:write`. The caller must hold every permission that it grants.',
      ),
    tenantKeys: z
      .array(tenantKeySchema)
      .max(MAX_TENANTS, `At most ${MAX_TENANTS} tenants`)
      .refine(unique, 'Duplicate tenant')
      .nullish()
      .describe('Keys of the tenants that operations may name; all by default.')
      .transform((keys) => keys ?? []),
    expiresAt: z
      .date()
      .meta({ graphql: () => DateTime })
      .nullish()
      .describe('When the token expires; never by default.')
      .transform((value) => value ?? null)
      .refine((value) => value === null || value.getTime() > Date.now(), 'expiresAt must be in the future'),
    reason: optionalNote,
  })
  .refine(({ scopes, tenantKeys }) => tenantKeys.length === 0 || !scopes.some(isDecisionScope), {
    path: ['tenantKeys'],
    message: 'Tokens with the scope `decide` or `reset` cannot be limited to tenants',
  });

@InputType({ description: 'A new service token.' })
export class ServiceTokenCreateInput extends InputOf(serviceTokenCreateSchema, MutationInput) {}

export const serviceTokenRevokeSchema = z.object({ id: idField('Id of the token.'), reason: optionalNote });

@InputType({ description: 'The service token to revoke.' })
export class ServiceTokenRevokeInput extends InputOf(serviceTokenRevokeSchema, MutationInput) {}

export const serviceTokenRotateSchema = serviceTokenRevokeSchema.extend({
  overlapMinutes: z
    .int()
    .min(0, 'overlapMinutes must be 0 or more')
    .max(MAX_OVERLAP_MINUTES, `overlapMinutes must be ${MAX_OVERLAP_MINUTES} (30 days) or less`)
    .nullish()
    .describe('Minutes for which the old token stays valid, 0 to 43200 (30 days); 1440 by default.')
    .transform((minutes) => minutes ?? DEFAULT_OVERLAP_MINUTES),
});

@InputType({ description: 'The service token to rotate.' })
export class ServiceTokenRotateInput extends InputOf(serviceTokenRotateSchema, MutationInput) {}

export function isUsable(token: { expiresAt: Date | null; revokedAt: Date | null }, nowMs: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > nowMs);
}

/** Errors for scopes with permissions that the issuer lacks. */
export function findExcessiveScopes(
  issuer: Pick<Actor, 'ability'>,
  { scopes, tenantKeys }: { scopes: readonly string[]; tenantKeys: readonly string[] },
): UserError[] {
  return scopes.flatMap(
    (scope, index) => checkGrant(issuer, tokenGrant([scope], tenantKeys), ['scopes', String(index)]) ?? [],
  );
}

@ObjectType({
  implements: () => [Node],
  description: 'A credential for automation. Only a hash of the token is stored.',
})
export class ServiceToken extends ObjectOf(Node, {
  name: field.string('Display name.'),
  publicId: field.string('The public part of the token.'),
  lastFour: field.string('The last four characters of the token.'),
  scopes: field
    .string(
      'Scopes: `decide`, `admin`, `read`, `policy`, `tenants`, `billing`, or permissions such as `tiers:write`.',
    )
    .list(),
  tenantKeys: field.string('Keys of the tenants that it is limited to; empty: all tenants.').list(),
  permissions: field.string('Permissions of its scopes in this API, such as `tiers:write`.').list(),
  lastUsedAt: field
    .dateTime(
      'When the token was last used with this API, to the minute; null: never, or only with the decision API.',
    )
    .nullable(),
  replacedById: field.id('Id of the token that replaced it; null: not rotated.').nullable(),
  createdAt: field.dateTime('When the token was issued.'),
  expiresAt: field.dateTime('When the token expires; null: never.').nullable(),
  revokedAt: field.dateTime('When the token was revoked; null: not revoked.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of issuing a service token.' })
export class ServiceTokenCreatePayload extends ObjectOf(MutationPayload, {
  serviceToken: field.of(() => ServiceToken, 'The new service token.').nullable(),
  token: field.string('The token, returned only once.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to a service token.' })
export class ServiceTokenPayload extends ObjectOf(MutationPayload, {
  serviceToken: field.of(() => ServiceToken, 'The service token after the change.').nullable(),
}) {}
