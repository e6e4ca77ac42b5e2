import * as z from 'zod';
import { adjustmentEffectSchema } from './adjustments.js';
import { configCarryOver, configFields, configTarget } from './config-fields.js';
import { tierKeySchema } from './names.js';

const [add, multiply] = adjustmentEffectSchema.options;

/** Something that is sold. What it may be together (an upgrade renews, a top-up expires) the server says. */
export const configOfferSchema = z.strictObject({
  name: configFields.name,
  description: configFields.description,
  kind: z.enum(['upgrade', 'topup']),
  /** `active` when left out: what a file says is on sale. */
  status: z.enum(['draft', 'active', 'archived']).optional(),
  /** Of one, for one period, in the smallest unit of the currency. */
  price: z.int().min(1),
  currency: z.string().regex(/^[A-Z]{3}$/, 'Write an ISO 4217 code, such as EUR'),
  interval: z.enum(['month', 'year']).optional(),
  validDays: z.int().min(1).optional(),
  graceDays: z.int().min(0).optional(),
  /** Who may buy it; everybody when left out. */
  tiers: z.array(tierKeySchema).max(50).optional(),
  maxQuantity: z.int().min(1).optional(),
  stock: z.int().min(0).optional(),
  carryOver: configCarryOver,
  effects: z
    .array(
      z.strictObject({
        ...configTarget,
        appliesTo: z.enum(['rate', 'quota']).optional(),
        effect: z.discriminatedUnion('kind', [add, multiply]),
      }),
    )
    .min(1),
});

export type ConfigOffer = z.infer<typeof configOfferSchema>;
