import { Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { keyScopeSchema, MAX_KEY_SCOPES, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault } from '../../../platform/changes/text.js';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
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

registerEnumType(ApiKeyMode, {
  name: 'ApiKeyMode',
  description: 'What a key is for; told by its first letters. Both are limited and counted alike.',
  valuesMap: {
    LIVE: { description: 'Production: `tgk_live_…`.' },
    TEST: { description: 'Development and tests: `tgk_test_…`.' },
  },
});

@ObjectType({ description: 'One text of an API key. The text itself is never kept.' })
export class ApiKeySecret {
  @Field({ description: 'The last four characters of the key.' })
  lastFour!: string;

  @Field(() => DateTime, { description: 'When it was issued.' })
  createdAt!: Date;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stops working, beside another one; null: with its key.',
  })
  endsAt!: Date | null;
}

@ObjectType({
  implements: () => [Node],
  description: "What a tenant's own callers send in place of its name.",
})
export class ApiKey extends Node {
  @Field({ description: 'What it is for.' })
  name!: string;

  @Field(() => ApiKeyMode, { description: 'What it is for.' })
  mode!: ApiKeyMode;

  @Field({ description: 'The part that may be shown; limits by `key` count by it. A rotation keeps it.' })
  publicId!: string;

  @Field(() => [String], {
    description: 'What may be called with it, an API or `api/operation`; empty: everything.',
  })
  scopes!: string[];

  @Field(() => [ApiKeySecret], {
    description: 'Texts of it that work, the newest first: two during a rotation.',
  })
  secrets!: ApiKeySecret[];

  @Field({ description: 'Who issued it.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was issued.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; null: never.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null: it was not.' })
  revokedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was last used, to a minute or so; null: never yet.',
  })
  lastUsedAt!: Date | null;
}

export const ApiKeyConnection = connectionOf(ApiKey, 'ApiKey', 'API keys');

@InputType({ description: 'A new API key.' })
export class ApiKeyCreateInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field({ description: 'What it is for.' })
  name!: string;

  @Field(() => ApiKeyMode, { nullable: true, defaultValue: ApiKeyMode.LIVE, description: 'What it is for.' })
  mode?: ApiKeyMode | null;

  @Field(() => [String], {
    nullable: true,
    description: 'What may be called with it, an API or `api/operation`; everything when left out.',
  })
  scopes?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; never when left out.' })
  expiresAt?: Date | null;
}

@InputType({ description: 'Which API key to revoke.' })
export class ApiKeyRevokeInput extends MutationInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => ID, { description: 'Id of the API key.' })
  id!: string;
}

@InputType({ description: 'Which API key gets a new text.' })
export class ApiKeyRotateInput extends ApiKeyRevokeInput {
  @Field(() => Int, {
    nullable: true,
    defaultValue: 24,
    description: 'For how many hours the text that it has now works beside the new one; 0: it ends at once.',
  })
  overlapHours?: number | null;
}

@ObjectType({ description: 'Outcome of issuing or rotating an API key.' })
export class ApiKeySecretPayload extends PublishedPayload {
  @Field(() => ApiKey, { nullable: true, description: 'The API key.' })
  apiKey!: ApiKey | null;

  @Field(() => String, {
    nullable: true,
    description: 'The key itself. This is the only time that it is shown; a dry run shows none.',
  })
  key!: string | null;
}

@ObjectType({ description: 'Outcome of a change to an API key.' })
export class ApiKeyPayload extends PublishedPayload {
  @Field(() => ApiKey, { nullable: true, description: 'The API key after the change.' })
  apiKey!: ApiKey | null;
}
