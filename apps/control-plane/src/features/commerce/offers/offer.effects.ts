import { apiKeySchema, limitNameSchema } from '@tollgate/contracts';
import * as z from 'zod';

const MAX_UNITS = 1_000_000_000_000;

/** The most effects that one offer has. */
const MAX_EFFECTS = 8;

const scope = {
  /** Left out: every API. */
  api: apiKeySchema.optional(),
  /** Left out: every limit of the API. */
  limit: limitNameSchema.optional(),
  /** Left out: both. */
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
      .min(101, 'percent must be 101 or more: what is bought raises a limit')
      .max(1_000_000, 'percent must be 1000000 or less'),
  }),
]);

/** What a purchase does to limits: rates and quotas of several APIs in one, where it is sold so. */
export const offerEffectsSchema = z
  .array(
    z
      .strictObject({ ...scope, effect })
      .refine(({ api, limit }) => limit === undefined || api !== undefined, {
        path: ['api'],
        message: 'A limit is named within an API; name that too',
      }),
  )
  .min(1, 'An offer has one effect at least')
  .max(MAX_EFFECTS, `An offer has ${MAX_EFFECTS} effects at most`);

export type OfferEffect = z.output<typeof offerEffectsSchema>[number];

/** What `quantity` units of the offer do. Only units can be had several times: see `offer.rules.ts`. */
export function timesQuantity(effects: readonly OfferEffect[], quantity: number): OfferEffect[] {
  return effects.map((one) =>
    one.effect.kind === 'add'
      ? { ...one, effect: { kind: 'add', units: one.effect.units * quantity } }
      : { ...one },
  );
}
