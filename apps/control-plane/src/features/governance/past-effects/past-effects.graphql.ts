import { ObjectType } from '@nestjs/graphql';
import { enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';

export const PastEffectGap = enumOf(
  'PastEffectGap',
  'Why stored usage does not show the denials of a limit with a purchase.',
  {
    PER_CALLER: 'It counts callers separately, and usage is stored by tenant.',
    NOT_BY_REQUESTS:
      'Its denials depend on more than the requests: permits, outcomes, labels, leases or other tenants.',
    NOT_ENFORCED: 'It denies nothing, or only a part.',
    LONG_WINDOW: 'Its window, or the time until it is unused again, is longer than a day.',
  },
);
export type PastEffectGap = keyof typeof PastEffectGap;

@ObjectType({ description: 'Least and most requests.' })
class RequestRange extends ObjectOf({
  low: field.safeInt('At least.'),
  high: field.safeInt('At most.'),
}) {}

@ObjectType({
  description:
    'Denials of a limit in the last 30 days: as stored, and with the purchase during all that time. Other limits are not considered.',
})
export class PastEffect extends ObjectOf({
  from: field.dateTime('Start: 30 days ago, or the oldest stored usage per hour.'),
  to: field.dateTime('Now.'),
  requests: field.safeInt('Requests that the limit covers.'),
  denied: field.safeInt('Of these, the ones that it denied.'),
  after: field
    .of(
      () => RequestRange,
      'Denials with the purchase; equal numbers are exact. Null: stored usage does not show them.',
    )
    .nullable(),
  gap: field.of(() => PastEffectGap, 'Why `after` is null; null otherwise.').nullable(),
}) {}
