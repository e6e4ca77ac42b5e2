import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
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
  description: 'What becomes of what a configuration does not name.',
  valuesMap: {
    APPLY: { description: 'It stays as it is.' },
    SYNC: { description: 'What configurations keep of it is deleted; what the console keeps stays.' },
  },
});
registerEnumType(ConfigAction, {
  name: 'ConfigAction',
  description: 'What a configuration does to an object.',
  valuesMap: {
    CREATE: { description: 'It is made.' },
    UPDATE: { description: 'It is changed.' },
    DELETE: { description: 'It is deleted.' },
    ARCHIVE: {
      description: 'A tier that tenants are or were on, or an offer, is archived: it cannot be deleted.',
    },
  },
});

@InputType({ description: 'A configuration and what to do with it.' })
export class ConfigApplyInput extends MutationInput {
  @Field({
    description: 'The configuration as JSON text, 1 MB at most; `tollgate config` makes it from YAML.',
  })
  document!: string;

  @Field(() => ConfigMode, {
    nullable: true,
    defaultValue: ConfigMode.APPLY,
    description: 'What becomes of the rest.',
  })
  mode?: ConfigMode | null;

  @Field(() => String, { nullable: true, description: 'With SYNC: only what has this tag is deleted.' })
  selectTag?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The newest revision that the caller knows of; with a newer one nothing is done. Left out: whichever.',
  })
  expectedRevision?: number | null;
}

@ObjectType({ description: 'One thing that a configuration does.' })
export class ConfigChange {
  @Field(() => ConfigAction, { description: 'What.' })
  action!: ConfigAction;

  @Field({
    description: 'Where: a path in the document, such as `apis.shop.operations.buy` or `tiers.pro.limits`.',
  })
  path!: string;

  @Field(() => [FieldDifference], { description: 'What changes in it; of a new one, what it is.' })
  fields!: FieldDifference[];
}

@ObjectType({ description: 'Outcome of applying a configuration.' })
export class ConfigApplyPayload extends PublishedPayload {
  @Field(() => [ConfigChange], { description: 'What was done, or would be; in that order.' })
  changes!: ConfigChange[];
}
