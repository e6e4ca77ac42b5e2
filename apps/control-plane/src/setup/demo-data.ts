import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { Algorithm, Alignment, MemberRole } from '../platform/prisma/schema.js';

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
      operations: z.array(z.strictObject({ name: z.string(), description: z.string(), cost: z.number() })),
    }),
  ),
  tiers: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: z.string(),
      rank: z.number(),
      limits: z.array(
        z.strictObject({
          name: z.string(),
          apiKey: z.string(),
          operations: z.array(z.string()),
          per: z.array(z.string()),
          algorithm: z.enum(Algorithm),
          limit: z.number(),
          windowMs: z.number(),
          burst: z.number().nullable().default(null),
          alignment: z.enum(Alignment).nullable().default(null),
        }),
      ),
    }),
  ),
  tenants: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      tierKey: z.string(),
      timeZone: z.string(),
      members: z.array(z.strictObject({ email: z.string(), name: z.string(), role: z.enum(MemberRole) })),
    }),
  ),
  /** The request that a newcomer tries first. */
  example: request,
  /** `count` requests of this kind leave the tenant just below its limit. */
  nearLimit: request.extend({ count: z.int().min(1) }),
});

export type DemoData = z.output<typeof demoSchema>;

/** Reads `prisma/seed/demo.json`, which lies equally deep from sources and from the build. */
export function readDemoData(): DemoData {
  const file = new URL('../../../../prisma/seed/demo.json', import.meta.url);
  return demoSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
