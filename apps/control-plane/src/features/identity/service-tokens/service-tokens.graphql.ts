import { Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Actor } from '../../../platform/access/actor.js';
import { checkGrant, tokenGrant } from '../../../platform/access/grants.js';
import { SCOPE_RIGHTS, TOKEN_SCOPES } from '../../../platform/access/token-scopes.js';
import { displayName, optionalNote } from '../../../platform/changes/text.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
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

@ObjectType({
  implements: () => [Node],
  description: "A machine's credential. The token itself is never kept.",
})
export class ServiceToken extends Node {
  @Field({ description: 'What it is for.' })
  name!: string;

  @Field({ description: 'The part of the token that may be shown.' })
  publicId!: string;

  @Field({ description: 'The last four characters of the token.' })
  lastFour!: string;

  @Field(() => [String], {
    description:
      'What it may do: `decide`, `admin`, `read`, `policy`, `tenants`, `billing`, or permissions such as `tiers:write`.',
  })
  scopes!: string[];

  @Field(() => [String], { description: 'Keys of the tenants that it acts in; empty: all of them.' })
  tenantKeys!: string[];

  @Field(() => [String], { description: 'What its scopes permit in this API, such as `tiers:write`.' })
  permissions!: string[];

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it was last used with this API, to the minute; null: never, or with the decision API alone.',
  })
  lastUsedAt!: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The token that took its place; null: it was not rotated.',
  })
  replacedById!: string | null;

  @Field(() => DateTime, { description: 'When it was issued.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; null: never.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null: it was not.' })
  revokedAt!: Date | null;
}

@InputType({ description: 'A new service token.' })
export class ServiceTokenCreateInput extends MutationInput {
  @Field({ description: 'What it is for.' })
  name!: string;

  @Field(() => [String], {
    description:
      'At least one. `decide`: may call the decision API. `admin`: everything here. `read`: reads everything. `policy`, `tenants`, `billing`: the work of these. Or single permissions, such as `tiers:write`. Nobody hands out more than they have.',
  })
  scopes!: string[];

  @Field(() => [String], {
    nullable: true,
    description:
      'Keys of the tenants that it acts in, for operations that name a tenant; left out: all of them.',
  })
  tenantKeys?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; never when left out.' })
  expiresAt?: Date | null;
}

@InputType({ description: 'Which service token to revoke.' })
export class ServiceTokenRevokeInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the token.' })
  id!: string;
}

@InputType({ description: 'Which service token to rotate, and how.' })
export class ServiceTokenRotateInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the token.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'How long the old token still works, up to 43200 minutes (30 days); a day when left out, 0: not at all.',
  })
  overlapMinutes?: number | null;
}

@ObjectType({ description: 'Outcome of issuing a service token.' })
export class ServiceTokenCreatePayload extends MutationPayload {
  @Field(() => ServiceToken, { nullable: true, description: 'The new service token.' })
  serviceToken!: ServiceToken | null;

  @Field(() => String, {
    nullable: true,
    description: 'The token itself. This is the only time that it is shown.',
  })
  token!: string | null;
}

@ObjectType({ description: 'Outcome of a change to a service token.' })
export class ServiceTokenPayload extends MutationPayload {
  @Field(() => ServiceToken, { nullable: true, description: 'The service token after the change.' })
  serviceToken!: ServiceToken | null;
}
