import { Args, Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
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

/** Cost of loading names and usage of affected tenants. */
const NAMING = 20;

/** The `input` argument of a mutation; its class describes it. */
export const Input = () => Args('input', { description: 'Parameters of the mutation.' });

@InputType({ isAbstract: true })
export abstract class MutationInput {
  @Field(() => String, { nullable: true, description: 'Reason, for the audit log.' })
  reason?: string | null;

  @Field({
    nullable: true,
    description: 'Validate and return the result without changing anything. False by default.',
  })
  dryRun?: boolean;
}

export const FORCE = {
  nullable: true,
  description:
    'Change an object that is managed by the configuration file; requires `reason`. The next `configApply` reverts it.',
};

/** Input of mutations on objects that the configuration file may manage. */
@InputType({ isAbstract: true })
export abstract class ManagedInput extends MutationInput {
  @Field(FORCE)
  force?: boolean;
}

@ObjectType({ description: 'A tenant affected by a policy change.' })
export class ImpactedTenant extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  tenantName: field.string('Name of the tenant.'),
  increased: field.boolean('Whether a limit increases.'),
  decreased: field.boolean('Whether a limit decreases.'),
}) {}

@ObjectType({ description: 'A tenant whose recent usage exceeds a new limit.' })
export class ImpactOverrun extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  tenantName: field.string('Name of the tenant.'),
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  limit: field.safeInt('The new limit per window or period.'),
  peak: field.safeInt('The highest recent usage in one of them.'),
  excess: field.safeInt('Units above the new limit in all of them, which it would have denied.'),
  units: field.safeInt('All units in them.'),
  days: field.int('How many days back usage was examined.'),
  at: field.dateTime('Start of that window.'),
}) {}

@ObjectType({
  description:
    'Tenants affected by a policy change. For one tenant, some limits may increase and others decrease.',
})
export class Impact extends ObjectOf({
  tenants: field.int('Number of affected tenants.'),
  increased: field.int('Number of tenants with an increased limit.'),
  decreased: field.int('Number of tenants with a decreased limit.'),
  sample: field
    .of(() => ImpactedTenant, 'Some affected tenants, decreased limits first; at most 20.')
    .list()
    .resolved()
    .complexity(NAMING)
    .usualLength(1),
  overruns: field
    .of(
      () => ImpactOverrun,
      'Tenants whose recent usage exceeds the decreased limits, highest excess first; at most 20. Null if the calculation timed out.',
    )
    .list()
    .nullable()
    .resolved()
    .complexity(NAMING)
    .usualLength(1),
}) {}

@ObjectType({ isAbstract: true })
export abstract class MutationPayload extends ObjectOf({
  userErrors: field
    .of(() => UserError, 'Why nothing changed; empty on success.')
    .list()
    .usualLength(1),
  impact: field
    .of(() => Impact, 'Impact of a dry run; null otherwise and if no policy changes.')
    .nullable()
    .resolved(),
}) {}

/** Payload of mutations that are propagated to nodes. */
@ObjectType({ isAbstract: true })
export abstract class PublishedPayload extends ObjectOf(MutationPayload, {
  changeId: field.id('Id of the change, for `propagation`.').nullable(),
}) {}
