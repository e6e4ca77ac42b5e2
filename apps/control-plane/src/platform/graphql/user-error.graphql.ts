import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';

export enum UserErrorCode {
  INVALID = 'INVALID',
  NOT_FOUND = 'NOT_FOUND',
  TAKEN = 'TAKEN',
  CONFLICT = 'CONFLICT',
  NOTHING_TO_PUBLISH = 'NOTHING_TO_PUBLISH',
  IN_USE = 'IN_USE',
}

registerEnumType(UserErrorCode, {
  name: 'UserErrorCode',
  description: 'What kind of thing stopped a mutation.',
  valuesMap: {
    INVALID: { description: 'A value breaks a rule.' },
    NOT_FOUND: { description: 'What the input names does not exist.' },
    TAKEN: { description: 'The name is in use already.' },
    CONFLICT: {
      description: 'Someone changed it since `expectedVersion`; the answer holds the current object.',
    },
    NOTHING_TO_PUBLISH: { description: 'There is no draft, or it has no limits.' },
    IN_USE: { description: 'Something else depends on it.' },
  },
});

@ObjectType({ description: 'Why a mutation changed nothing.' })
export class UserError {
  @Field(() => UserErrorCode, { description: 'What kind of problem it is.' })
  code!: UserErrorCode;

  @Field(() => [String], {
    nullable: true,
    description: 'Path into `input`, such as ["limits", "2", "windowMs"].',
  })
  field!: string[] | null;

  @Field({ description: 'What is wrong, in words for people.' })
  message!: string;
}
