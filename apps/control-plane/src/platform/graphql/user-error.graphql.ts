import { ObjectType, registerEnumType } from '@nestjs/graphql';
import { field, ObjectOf } from './object-of.js';

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
  SPEND_CAP = 'SPEND_CAP',
  PROVIDER_UNAVAILABLE = 'PROVIDER_UNAVAILABLE',
}

registerEnumType(UserErrorCode, {
  name: 'UserErrorCode',
  description: 'Code of a user error.',
  valuesMap: {
    INVALID: { description: 'A value is invalid.' },
    NOT_FOUND: { description: 'An object named in the input does not exist.' },
    TAKEN: { description: 'The name is already in use.' },
    CONFLICT: {
      description: 'The object has changed since `expectedVersion`; the payload contains its current state.',
    },
    NOTHING_TO_PUBLISH: { description: 'There is no draft, or the draft has no limits.' },
    IN_USE: { description: 'Another object depends on it.' },
    MANAGED_BY_CONFIG: { description: 'The object is managed by the configuration file.' },
    NO_EFFECT: { description: 'The purchase would not change any limit of the tenant.' },
    NOT_FOR_SALE: { description: 'The offer is not available, or not for this tier.' },
    PRICE_CHANGED: { description: 'The price differs from the one that the buyer has seen.' },
    SPEND_CAP: { description: "The purchase would exceed the tenant's spend cap." },
    SOLD_OUT: { description: 'Not enough stock left.' },
    PROVIDER_UNAVAILABLE: { description: 'The payment provider is not available or does not support this.' },
  },
});

@ObjectType({ description: 'Why a mutation changed nothing.' })
export class UserError extends ObjectOf({
  code: field.of(() => UserErrorCode, 'Code of the error.'),
  field: field.string('Path into `input`, such as ["limits", "2", "windowMs"].').list().nullable(),
  message: field.string('Message for people.'),
}) {}
