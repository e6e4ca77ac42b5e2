import * as z from 'zod';
import { CarryOver, PublishAudience } from '../platform/prisma/schema.js';

/** Later tier versions, pending changes, and more people with access. */
export const demoGovernanceSchema = {
  /** A version with other numbers than the one before, which is archived by it. */
  publications: z.array(
    z.strictObject({
      tierKey: z.string(),
      note: z.string(),
      limits: z.array(z.strictObject({ apiKey: z.string(), name: z.string(), limit: z.number() })),
      audience: z.enum(PublishAudience),
      cohort: z
        .strictObject({ tags: z.array(z.string()) })
        .nullable()
        .default(null),
      carryOver: z.enum(CarryOver).default('KEEP'),
    }),
  ),
  webhookEndpoints: z.array(
    z.strictObject({
      tenantKey: z.string().nullable().default(null),
      url: z.string(),
      description: z.string(),
      events: z.array(z.string()).default([]),
      enabled: z.boolean(),
    }),
  ),
  serviceTokens: z.array(
    z.strictObject({
      name: z.string(),
      scopes: z.array(z.string()),
      tenantKeys: z.array(z.string()).default([]),
      endsInDays: z.number(),
    }),
  ),
  /** Each waits for a second person. */
  changeSets: z.array(
    z.strictObject({
      title: z.string(),
      description: z.string(),
      items: z.array(z.strictObject({ command: z.string(), input: z.record(z.string(), z.unknown()) })),
    }),
  ),
};
