import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';

export enum UserErrorCode {
  INVALID = 'INVALID',
  NOT_FOUND = 'NOT_FOUND',
  TAKEN = 'TAKEN',
  CONFLICT = 'CONFLICT',
  NOTHING_TO_PUBLISH = 'NOTHING_TO_PUBLISH',
  IN_USE = 'IN_USE',
  MANAGED_BY_CONFIG = 'MANAGED_BY_CONFIG',
  NOT_FOR_SALE = 'NOT_FOR_SALE',
  NO_EFFECT = 'NO_EFFECT',
  PRICE_CHANGED = 'PRICE_CHANGED',
  SOLD_OUT = 'SOLD_OUT',
  PROVIDER_UNAVAILABLE = 'PROVIDER_UNAVAILABLE',
}

registerEnumType(UserErrorCode, {
  name: 'UserErrorCode',
  description: 'Reason why a mutation was rejected.',
  valuesMap: {
    INVALID: { description: 'A value breaks a rule.' },
    NOT_FOUND: { description: 'An object named in the input does not exist.' },
    TAKEN: { description: 'The name is in use already.' },
    CONFLICT: {
      description: 'Someone changed it since `expectedVersion`; the answer holds the current object.',
    },
    NOTHING_TO_PUBLISH: { description: 'There is no draft, or it has no limits.' },
    IN_USE: { description: 'Something else depends on it.' },
    MANAGED_BY_CONFIG: { description: 'It is kept in a configuration file.' },
    NO_EFFECT: { description: 'The purchase would change no limit of the tenant.' },
    NOT_FOR_SALE: { description: 'The offer is not sold any more, or not to tenants on this tier.' },
    PRICE_CHANGED: { description: 'The price is another than the buyer has seen.' },
    SOLD_OUT: { description: 'Not enough stock left.' },
    PROVIDER_UNAVAILABLE: { description: 'The payment provider is switched off, or does not do it now.' },
  },
});

@ObjectType({ description: 'Why a mutation changed nothing.' })
export class UserError {
  @Field(() => UserErrorCode, { description: 'Kind of problem.' })
  code!: UserErrorCode;

  @Field(() => [String], {
    nullable: true,
    description: 'Path into `input`, such as ["limits", "2", "windowMs"].',
  })
  field!: string[] | null;

  @Field({ description: 'Message for people.' })
  message!: string;
}
