import { InputType, ObjectType } from '@nestjs/graphql';
import { MAX_CONFIG_BYTES, MAX_CONFIG_TENANTS, tagSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, withDefault } from '../../../platform/changes/outcome.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { enumOf, field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { FieldDifference, optionalGuard } from '../../catalogue/index.js';

export const ConfigMode = enumOf('ConfigMode', 'Handling of objects that a configuration does not name.', {
  APPLY: 'They stay unchanged.',
  SYNC: 'Those managed by configurations are deleted; those managed in the console stay.',
});
export type ConfigMode = keyof typeof ConfigMode;

export const ConfigAction = enumOf('ConfigAction', 'Action of a configuration on an object.', {
  CREATE: 'Created.',
  UPDATE: 'Updated.',
  ADOPT: 'Managed by configurations from now on, instead of in the console.',
  DELETE: 'Deleted.',
  ARCHIVE: 'Archived: a tier with past or current tenants, or an offer, which cannot be deleted.',
});
export type ConfigAction = keyof typeof ConfigAction;

export const configApplySchema = z.object({
  document: z
    .string()
    .max(MAX_CONFIG_BYTES, `A configuration has ${MAX_CONFIG_BYTES} characters at most`)
    .describe(
      `The configuration as JSON text with at most ${MAX_CONFIG_BYTES} characters and ${MAX_CONFIG_TENANTS} tenants; \`tollgate config\` makes it from YAML.`,
    ),
  mode: withDefault(z.enum(ConfigMode), 'APPLY').describe('Handling of other objects.'),
  selectTag: tagSchema.nullish().describe('With SYNC: only objects with this tag are deleted.'),
  expectedRevision: z
    .int()
    .nullish()
    .describe(
      'Rejected if the policy has changed since this revision, also by a change that is not published yet; omitted: not checked.',
    ),
  guard: optionalGuard.describe('Guards each tier version that replaces a published one.'),
  reason: optionalNote,
});

@InputType({ description: 'A configuration to apply.' })
export class ConfigApplyInput extends InputOf(configApplySchema, MutationInput) {}

@ObjectType({ description: 'One change of a configuration.' })
export class ConfigChange extends ObjectOf({
  action: field.of(() => ConfigAction, 'What.'),
  path: field.string(
    'Where: a path in the document, such as `apis.shop.operations.buy` or `tiers.pro.limits`.',
  ),
  // One point per change: a configuration of many tenants must not use up the points of its caller.
  fields: field
    .of(() => FieldDifference, 'Changed fields; of a new object, all fields.')
    .list()
    .complexity(0),
}) {}

@ObjectType({ description: 'Outcome of applying a configuration.' })
export class ConfigApplyPayload extends ObjectOf(PublishedPayload, {
  changes: field.of(() => ConfigChange, 'The changes made, or planned by a dry run, in order.').list(),
}) {}
