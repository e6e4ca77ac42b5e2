import { ObjectType } from '@nestjs/graphql';
import { apiKeySchema, limitNameSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { upper } from '../../catalogue/index.js';

const MAX_UNITS = 1_000_000_000_000;

const MAX_EFFECTS = 8;

const scope = {
  api: apiKeySchema.optional(),
  limit: limitNameSchema.optional(),
  appliesTo: z.enum(['rate', 'quota']).optional(),
};

const effect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('add'),
    units: z.int().min(1, 'units must be 1 or more').max(MAX_UNITS, `units must be ${MAX_UNITS} or less`),
  }),
  z.strictObject({
    kind: z.literal('multiply'),
    percent: z
      .int()
      .min(101, 'percent must be 101 or more: a purchase raises limits')
      .max(1_000_000, 'percent must be 1000000 or less'),
  }),
]);

/** Effects of a purchase on limits; one offer can raise rates and quotas of several APIs. */
export const offerEffectsSchema = z
  .array(
    z
      .strictObject({ ...scope, effect })
      .refine(({ api, limit }) => limit === undefined || api !== undefined, {
        path: ['api'],
        message: 'limitName requires apiKey',
      }),
  )
  .min(1, 'An offer has at least one effect')
  .max(MAX_EFFECTS, `An offer has at most ${MAX_EFFECTS} effects`);

export type StoredOfferEffect = z.output<typeof offerEffectsSchema>[number];

/** Effects of `quantity` units. Percentages are not multiplied: see `canHaveQuantity`. */
export function timesQuantity(effects: readonly StoredOfferEffect[], quantity: number): StoredOfferEffect[] {
  return effects.map((one) =>
    one.effect.kind === 'add'
      ? { ...one, effect: { kind: 'add', units: one.effect.units * quantity } }
      : { ...one },
  );
}

export const OfferEffectKind = enumOf('OfferEffectKind', 'Effect on a limit.', {
  ADD: 'Adds units.',
  MULTIPLY: 'Multiplies by a percentage: 200 doubles the limit.',
});

export const OfferEffectTarget = enumOf('OfferEffectTarget', 'Limits that an effect applies to.', {
  RATE: 'Rate limits.',
  QUOTA: 'Quotas per day, week, month or billing period.',
});

@ObjectType({ description: 'Effect of a purchase on limits.' })
export class OfferEffect extends ObjectOf({
  apiKey: field.string('Key of the API; null: every API.').nullable(),
  limitName: field.string('Name of the limit; null: every limit.').nullable(),
  appliesTo: field.of(() => OfferEffectTarget, 'Kind of limits; null: both.').nullable(),
  kind: field.of(() => OfferEffectKind, 'Kind of the effect.'),
  units: field.safeInt('For ADD: units to add.').nullable(),
  percent: field.int('For MULTIPLY: percentage of the limit.').nullable(),
}) {}

export function showEffect({ api, limit, appliesTo, effect }: StoredOfferEffect): OfferEffect {
  return {
    apiKey: api ?? null,
    limitName: limit ?? null,
    appliesTo: appliesTo === undefined ? null : upper(appliesTo),
    kind: upper(effect.kind),
    units: effect.kind === 'add' ? effect.units : null,
    percent: effect.kind === 'multiply' ? effect.percent : null,
  };
}
