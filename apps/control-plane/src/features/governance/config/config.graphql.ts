import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { FieldDifference } from '../../catalogue/index.js';

export const ConfigMode = { APPLY: 'APPLY', SYNC: 'SYNC' } as const;
export type ConfigMode = keyof typeof ConfigMode;

export const ConfigAction = {
  CREATE: 'CREATE',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE',
  ARCHIVE: 'ARCHIVE',
} as const;
export type ConfigAction = keyof typeof ConfigAction;

registerEnumType(ConfigMode, {
  name: 'ConfigMode',
  description: 'Handling of objects that a configuration does not name.',
  valuesMap: {
    APPLY: { description: 'They stay unchanged.' },
    SYNC: { description: 'Those managed by configurations are deleted; those managed in the console stay.' },
  },
});
registerEnumType(ConfigAction, {
  name: 'ConfigAction',
  description: 'Action of a configuration on an object.',
  valuesMap: {
    CREATE: { description: 'Created.' },
    UPDATE: { description: 'Updated.' },
    DELETE: { description: 'Deleted.' },
    ARCHIVE: {
      description: 'Archived: a tier with past or current tenants, or an offer, which cannot be deleted.',
    },
  },
});

@InputType({ description: 'A configuration to apply.' })
export class ConfigApplyInput extends MutationInput {
  @Field({
    description: 'The configuration as JSON text, 1 MB at most; `tollgate config` makes it from YAML.',
  })
  document!: string;

  @Field(() => ConfigMode, {
    nullable: true,
    defaultValue: ConfigMode.APPLY,
    description: 'Handling of other objects.',
  })
  mode?: ConfigMode | null;

  @Field(() => String, { nullable: true, description: 'With SYNC: only what has this tag is deleted.' })
  selectTag?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Refused if a newer revision exists; omitted: not checked.',
  })
  expectedRevision?: number | null;
}

@ObjectType({ description: 'One change of a configuration.' })
export class ConfigChange extends ObjectOf({
  action: field.of(() => ConfigAction, 'What.'),
  path: field.string(
    'Where: a path in the document, such as `apis.shop.operations.buy` or `tiers.pro.limits`.',
  ),
  fields: field.of(() => FieldDifference, 'Changed fields; of a new object, all fields.').list(),
}) {}

@ObjectType({ description: 'Outcome of applying a configuration.' })
export class ConfigApplyPayload extends ObjectOf(PublishedPayload, {
  changes: field.of(() => ConfigChange, 'The changes made, or planned by a dry run, in order.').list(),
}) {}
