import { offerKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import {
  description,
  displayName,
  optionalDescription,
  optionalNote,
  orDefault,
} from '../../../platform/changes/outcome.js';
import { BillingInterval, CarryOver, OfferKind } from '../../../platform/prisma/schema.js';
import { offerEffectsSchema } from './offer.effects.js';

/** Above it, a slip of the finger is likelier than a sale. */
const MAX_PRICE_MINOR = 100_000_000_000;
const MAX_STOCK = 1_000_000_000;

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const whole = (name: string, min: number, max: number) =>
  z
    .int(`${name} must be a whole number`)
    .min(min, `${name} must be ${min} or more`)
    .max(max, `${name} must be ${max} or less`);

/** A GraphQL effect, whose fields say by `kind` which of them count. */
const effectInput = z
  .object({
    apiKey: z.string().nullish(),
    limitName: z.string().nullish(),
    appliesTo: z.enum(['RATE', 'QUOTA']).nullish(),
    kind: z.enum(['ADD', 'MULTIPLY']),
    units: z.number().nullish(),
    percent: z.number().nullish(),
  })
  .superRefine(({ kind, units, percent }, context) => {
    const [wanted, other] = kind === 'ADD' ? ['units', percent] : ['percent', units];
    if ((kind === 'ADD' ? units : percent) == null) {
      context.addIssue({ code: 'custom', path: [String(wanted)], message: `${kind} needs ${wanted}` });
    }
    if (other != null) {
      const path = [kind === 'ADD' ? 'percent' : 'units'];
      context.addIssue({ code: 'custom', path, message: `${kind} takes ${wanted} alone` });
    }
  })
  .transform(
    ({ apiKey, limitName, appliesTo, kind, units, percent }): z.input<typeof offerEffectsSchema>[number] => ({
      ...(apiKey == null ? {} : { api: apiKey }),
      ...(limitName == null ? {} : { limit: limitName }),
      ...(appliesTo == null
        ? {}
        : { appliesTo: appliesTo === 'RATE' ? ('rate' as const) : ('quota' as const) }),
      effect:
        kind === 'ADD'
          ? { kind: 'add' as const, units: units as number }
          : { kind: 'multiply' as const, percent: percent as number },
    }),
  );

const effects = z.array(effectInput).pipe(offerEffectsSchema);
const tierKeys = z.array(tierKeySchema).max(50, 'At most 50 tiers');
const stock = whole('stock', 0, MAX_STOCK);

const terms = {
  priceMinor: whole('priceMinor', 1, MAX_PRICE_MINOR),
  validDays: whole('validDays', 1, 3650),
  graceDays: whole('graceDays', 0, 60),
  maxQuantity: whole('maxQuantity', 1, 1000),
};

export const offerCreateSchema = z
  .object({
    key: offerKeySchema,
    name: displayName,
    description,
    kind: z.enum(OfferKind),
    priceMinor: terms.priceMinor,
    currency: z
      .string()
      .refine((code) => CURRENCIES.has(code), 'Not an ISO 4217 code of a currency, such as EUR'),
    interval: z.enum(BillingInterval).nullish(),
    validDays: terms.validDays.nullish(),
    graceDays: terms.graceDays.nullish(),
    effects,
    tierKeys: orDefault(tierKeys, []),
    maxQuantity: orDefault(terms.maxQuantity, 1),
    stock: stock.nullish(),
    carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
    reason: optionalNote,
  })
  .superRefine(({ kind, interval, validDays, graceDays }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (kind === 'UPGRADE') {
      if (interval == null) refuse('interval', 'An upgrade renews: say how often');
      if (validDays != null) refuse('validDays', 'An upgrade renews; only a top-up expires');
    } else {
      if (validDays == null) refuse('validDays', 'A top-up expires: say after how many days');
      if (interval != null) refuse('interval', 'A top-up does not renew');
      if (graceDays != null) refuse('graceDays', 'A top-up does not renew, so it has no grace');
    }
  });

/** What names an offer in a change of it. */
export const offerChangeSchema = z.object({
  offerKey: offerKeySchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const offerUpdateSchema = offerChangeSchema.extend({
  name: displayName.nullish(),
  description: optionalDescription,
  priceMinor: terms.priceMinor.nullish(),
  validDays: terms.validDays.nullish(),
  graceDays: terms.graceDays.nullish(),
  effects: effects.nullish(),
  tierKeys: tierKeys.nullish(),
  maxQuantity: terms.maxQuantity.nullish(),
  /** Null: as many as anybody wants; left out: as it is. */
  stock: stock.nullish(),
  isUnlimited: z.boolean().nullish(),
});

/** Twice a multiple is no multiple of two: what is multiplied is sold one at a time. */
export function canHaveQuantity(effects: readonly { effect: { kind: string } }[]): boolean {
  return effects.every(({ effect }) => effect.kind === 'add');
}
