import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Permission } from '../../../platform/access/permissions.js';
import { orDefault } from '../../../platform/changes/outcome.js';
import { BulkActionKind, CarryOver, TenantStatus } from '../../../platform/prisma/schema.js';
import { mandatoryReason, targetSchema } from '../entitlements/adjustment-input.rules.js';

/** Tenants that can be named one by one. */
const MAX_NAMED = 1000;

/** Tenants that one action is for at most. */
export const MAX_TENANTS = 100_000;

/** Tenants for which a dry run tries it: one transaction, in which all of them are locked. */
export const MAX_TRIED = 200;

/** What an action of a kind needs besides the permission for bulk actions; an undo needs what its action did. */
export const PERMISSION_OF_KIND: Record<Exclude<BulkActionKind, 'UNDO'>, Permission> = {
  TIER_CHANGE: 'subscriptions:write',
  OVERRIDE: 'overrides:write',
  BOOST: 'boosts:write',
  SUSPEND: 'tenants:write',
  RESUME: 'tenants:write',
};

const adjustment = z
  .object({ endsAt: z.date().nullish() })
  .loose()
  .transform(({ endsAt, ...target }, context) => {
    const parsed = targetSchema.safeParse(target);
    if (parsed.success) return { ...target, endsAt: endsAt ?? null };
    for (const { path, message } of parsed.error.issues)
      context.issues.push({ code: 'custom', path, message, input: target });
    return z.NEVER;
  });

const common = {
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  reason: mandatoryReason,
  tenantKeys: z
    .array(tenantKeySchema)
    .min(1, 'Name at least one tenant')
    .max(MAX_NAMED, `Name ${MAX_NAMED} tenants at most; for more, use filter`)
    .transform((keys) => [...new Set(keys)])
    .nullish(),
  filter: z
    .object({
      search: z.string().nullish(),
      tier: tierKeySchema.nullish(),
      status: z
        .enum(TenantStatus)
        .refine((status) => status !== TenantStatus.ARCHIVED, 'Archived tenants cannot be changed')
        .nullish(),
      expectedCount: z.int().min(0).nullish(),
    })
    .nullish(),
};

const { TIER_CHANGE, OVERRIDE, BOOST, SUSPEND, RESUME } = BulkActionKind;

const ofKind = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal(TIER_CHANGE), tierKey: tierKeySchema }),
  z.object({ ...common, kind: z.literal(OVERRIDE), adjustment }),
  z.object({ ...common, kind: z.literal(BOOST), adjustment }),
  z.object({ ...common, kind: z.literal(SUSPEND) }),
  z.object({ ...common, kind: z.literal(RESUME) }),
]);

export const startSchema = ofKind.superRefine(({ tenantKeys, filter }, context) => {
  if ((tenantKeys == null) === (filter == null)) {
    const message = 'Say which tenants: by tenantKeys or by filter, one of them';
    context.addIssue({ code: 'custom', path: ['tenantKeys'], message });
  }
});

export const undoSchema = z.object({ id: z.string(), reason: mandatoryReason });

export type StartFacts = z.output<typeof startSchema>;

/** What is kept of it: what the mutation for one tenant takes, without the tenant. */
export function inputOf(facts: StartFacts): Record<string, unknown> {
  switch (facts.kind) {
    case TIER_CHANGE:
      return { tierKey: facts.tierKey, carryOver: facts.carryOver };
    case OVERRIDE:
    case BOOST: {
      const { endsAt, ...target } = facts.adjustment;
      return { ...target, endsAt: endsAt?.toISOString() ?? null, carryOver: facts.carryOver };
    }
    default:
      return {};
  }
}
