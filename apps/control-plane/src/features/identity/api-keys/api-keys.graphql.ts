import { InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { keyScopeSchema, MAX_KEY_SCOPES, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { connectionOf, Node } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { ApiKeyMode } from '../../../platform/prisma/schema.js';

const MAX_OVERLAP_HOURS = 30 * 24;

registerEnumType(ApiKeyMode, {
  name: 'ApiKeyMode',
  description:
    'Environment of an API key, visible in its prefix. Both are limited and counted in the same way.',
  valuesMap: {
    LIVE: { description: 'Production: `tgk_live_…`.' },
    TEST: { description: 'Development and tests: `tgk_test_…`.' },
  },
});

export const apiKeyCreateSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  name: displayName.describe('Display name, such as its purpose.'),
  mode: orDefault(z.enum(ApiKeyMode), ApiKeyMode.LIVE).meta({
    description: 'Environment of the key.',
    defaultValue: ApiKeyMode.LIVE,
  }),
  scopes: orDefault(
    z
      .array(keyScopeSchema)
      .max(MAX_KEY_SCOPES, `At most ${MAX_KEY_SCOPES} scopes`)
      .refine((scopes) => new Set(scopes).size === scopes.length, 'Duplicate scope'),
    [],
  ).describe('APIs or `api/operation` that the key may call; all by default.'),
  expiresAt: z
    .date()
    .meta({ graphql: () => DateTime })
    .nullish()
    .describe('When the key expires; never by default.')
    .transform((value) => value ?? null),
  reason: optionalNote,
});

@InputType({ description: 'A new API key.' })
export class ApiKeyCreateInput extends InputOf(apiKeyCreateSchema, MutationInput) {}

export const apiKeyRevokeSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  id: idField('Id of the API key.'),
  reason: optionalNote,
});

@InputType({ description: 'The API key to revoke.' })
export class ApiKeyRevokeInput extends InputOf(apiKeyRevokeSchema, MutationInput) {}

export const apiKeyRotateSchema = apiKeyRevokeSchema.extend({
  overlapHours: orDefault(
    z
      .int()
      .min(0, 'overlapHours must be 0 or more')
      .max(MAX_OVERLAP_HOURS, `overlapHours must be ${MAX_OVERLAP_HOURS} or less`),
    24,
  ).meta({
    description: 'Hours for which the previous secret stays valid, 0 to 720; 0 revokes it immediately.',
    defaultValue: 24,
  }),
});

@InputType({ description: 'The API key to rotate.' })
export class ApiKeyRotateInput extends InputOf(apiKeyRotateSchema, MutationInput) {}

export function isLive(key: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

export function apiOf(scope: string): string {
  return scope.split('/')[0] ?? scope;
}

@ObjectType({ description: 'A secret of an API key. Only its hash is stored.' })
export class ApiKeySecret extends ObjectOf({
  lastFour: field.string('The last four characters of the key.'),
  createdAt: field.dateTime('When it was issued.'),
  endsAt: field.dateTime('When it expires during a rotation; null: with its key.').nullable(),
}) {}

@ObjectType({
  implements: () => [Node],
  description:
    "A credential with which a tenant's clients call the decision API instead of naming the tenant.",
})
export class ApiKey extends ObjectOf(Node, {
  name: field.string('Display name.'),
  mode: field.of(() => ApiKeyMode, 'Environment of the key.'),
  publicId: field.string('The public part of the key, by which limits on `key` count. A rotation keeps it.'),
  scopes: field.string('APIs or `api/operation` that the key may call; empty: all.').list(),
  secrets: field.of(() => ApiKeySecret, 'Valid secrets, newest first; two during a rotation.').list(),
  createdBy: field.string('Actor who issued the key.'),
  createdAt: field.dateTime('When the key was issued.'),
  expiresAt: field.dateTime('When the key expires; null: never.').nullable(),
  revokedAt: field.dateTime('When the key was revoked; null: not revoked.').nullable(),
  lastUsedAt: field
    .dateTime('When the key was last used, accurate to about a minute; null: never.')
    .nullable(),
}) {}

export const ApiKeyConnection = connectionOf(ApiKey, 'ApiKey', 'API keys');

@ObjectType({ description: 'Outcome of issuing or rotating an API key.' })
export class ApiKeySecretPayload extends ObjectOf(PublishedPayload, {
  apiKey: field.of(() => ApiKey, 'The API key.').nullable(),
  key: field.string('The full key, returned only once. Null for a dry run.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to an API key.' })
export class ApiKeyPayload extends ObjectOf(PublishedPayload, {
  apiKey: field.of(() => ApiKey, 'The API key after the change.').nullable(),
}) {}
