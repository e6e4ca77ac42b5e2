import * as z from 'zod';
import { EffectKind } from '../features/customers/index.js';
import { EntitlementSource, LimitClass } from '../platform/prisma/schema.js';

const number = z.number().nullable().default(null);

/** Which limits are changed and how, as GraphQL takes it. */
const adjustment = {
  apiKey: z.string().nullable().default(null),
  limit: z.string().nullable().default(null),
  appliesTo: z.enum(LimitClass).nullable().default(null),
  effect: z.strictObject({ kind: z.enum(EffectKind), units: number, percent: number, limit: number }),
};

/** What raises limits of single tenants in the demo; times count from when it is set up. */
export const demoExceptionsSchema = {
  overrides: z.array(
    z.strictObject({ tenantKey: z.string(), ...adjustment, endsInDays: number, reason: z.string() }),
  ),
  boosts: z.array(
    z.strictObject({ tenantKey: z.string(), ...adjustment, endsInHours: z.number(), reason: z.string() }),
  ),
  /** Given without a purchase. */
  grants: z.array(
    z.strictObject({
      tenantKey: z.string(),
      source: z.enum(EntitlementSource),
      label: z.string(),
      effects: z.array(z.strictObject(adjustment)),
      endsInDays: number,
    }),
  ),
  quotaRequests: z.array(
    z.strictObject({
      tenantKey: z.string(),
      apiKey: z.string(),
      limit: z.string(),
      wanted: z.number(),
      why: z.string(),
      /** A member who signs in. */
      by: z.string(),
      /** What an operator has offered in place of it; null: nobody has answered. */
      counter: z.strictObject({ offered: z.number(), answer: z.string() }).nullable().default(null),
    }),
  ),
};
