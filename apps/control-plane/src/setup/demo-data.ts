import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { OfferEffectKind, OfferEffectTarget } from '../features/commerce/index.js';
import {
  ApiKeyMode,
  BillingInterval,
  MemberRole,
  OfferKind,
  PaymentProviderName,
  Priority,
} from '../platform/prisma/schema.js';
import { demoExceptionsSchema } from './demo-exceptions-data.js';
import { demoGovernanceSchema } from './demo-governance-data.js';
import { demoLimitSchema } from './demo-limit.js';

const request = z.strictObject({
  tenant: z.string(),
  api: z.string(),
  operation: z.string(),
  subject: z.record(z.string(), z.string()),
});

/** The demo as data; what its values may be is checked by the services that it goes through. */
const demoSchema = z.strictObject({
  apis: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: z.string(),
      operations: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          cost: z.number(),
          priority: z.enum(Priority).default('NORMAL'),
        }),
      ),
      defaultLimits: z.array(demoLimitSchema.omit({ apiKey: true })).default([]),
      pools: z
        .array(
          z.strictObject({
            name: z.string(),
            operations: z.array(z.string()),
            capacity: z.number(),
            reclaimPercent: z.number(),
          }),
        )
        .default([]),
    }),
  ),
  tiers: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: z.string(),
      rank: z.number(),
      weight: z.number().default(1),
      limits: z.array(demoLimitSchema),
    }),
  ),
  tenants: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      tierKey: z.string(),
      timeZone: z.string(),
      billingAnchorDay: z.number().default(1),
      tags: z.array(z.string()).default([]),
      members: z.array(
        z.strictObject({
          email: z.string(),
          name: z.string(),
          role: z.enum(MemberRole),
          /** With the admin's password. */
          signsIn: z.boolean().default(false),
        }),
      ),
      invitations: z.array(z.strictObject({ email: z.string(), role: z.enum(MemberRole) })).default([]),
      keys: z.array(
        z.strictObject({
          name: z.string(),
          mode: z.enum(ApiKeyMode),
          scopes: z.array(z.string()).default([]),
        }),
      ),
      alerts: z
        .array(z.strictObject({ apiKey: z.string().nullable().default(null), percents: z.array(z.number()) }))
        .default([]),
    }),
  ),
  /** What tenants used in the days before, on average. */
  usage: z.array(
    z.strictObject({
      tenant: z.string(),
      api: z.string(),
      operation: z.string(),
      limit: z.string(),
      perHour: z.int().min(1),
      deniedPercent: z.int().min(0).max(100),
      /** Begun so many hours ago only, as a rush is. */
      lastHours: z.int().min(1).optional(),
    }),
  ),
  offers: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: z.string(),
      kind: z.enum(OfferKind),
      priceMinor: z.number(),
      currency: z.string(),
      interval: z.enum(BillingInterval).nullable().default(null),
      validDays: z.number().nullable().default(null),
      maxQuantity: z.number().default(1),
      tierKeys: z.array(z.string()).default([]),
      effects: z.array(
        z.strictObject({
          apiKey: z.string().nullable().default(null),
          limitName: z.string().nullable().default(null),
          appliesTo: z.enum(OfferEffectTarget).nullable().default(null),
          kind: z.enum(OfferEffectKind),
          units: z.number().nullable().default(null),
          percent: z.number().nullable().default(null),
        }),
      ),
    }),
  ),
  purchases: z.array(
    z.strictObject({
      tenantKey: z.string(),
      offerKey: z.string(),
      quantity: z.number().default(1),
      provider: z.enum(PaymentProviderName),
      /** Number of a test card; null: nobody has paid yet. */
      card: z.string().nullable().default(null),
    }),
  ),
  ...demoExceptionsSchema,
  ...demoGovernanceSchema,
  /** The first request in the README. */
  example: request,
  /** `count` requests of each kind are made at the start: they leave a tenant below its limit, or not far from it. */
  nearLimits: z.array(request.extend({ count: z.int().min(1) })),
});

export type DemoData = z.output<typeof demoSchema>;

/** Reads `prisma/seed/demo.json`, which lies equally deep from sources and from the build. */
export function readDemoData(): DemoData {
  const file = new URL('../../../../prisma/seed/demo.json', import.meta.url);
  return demoSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
