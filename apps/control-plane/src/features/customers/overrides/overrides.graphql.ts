import { ArgsType, InputType, ObjectType } from '@nestjs/graphql';
import { apiKeySchema, limitNameSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { invalid } from '../../../platform/changes/outcome.js';
import { connectionOf, Node, PageArgs } from '../../../platform/graphql/connection.js';
import { ManagedInput, MutationInput, type UserError } from '../../../platform/graphql/mutation.graphql.js';
import {
  ArgsOf,
  enumOf,
  field,
  InputOf,
  idField,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { ManagedBy, OverrideKind } from '../../../platform/prisma/schema.js';
import {
  AdjustmentPayload,
  adjustmentSchema,
  isPast,
  LimitAdjustment,
  mandatoryReason,
} from '../entitlements/entitlements.graphql.js';
import { Tenant } from '../tenants/tenants.graphql.js';

const HOUR_MS = 3_600_000;

/** Longest boost by support, and by anyone else. */
const MAX_SUPPORT_BOOST_HOURS = 72;
const MAX_BOOST_HOURS = 30 * 24;

export const overrideSetSchema = adjustmentSchema({
  startsAt: z.date().nullish().describe('Start; omitted: now.'),
  expiresAt: z.date().nullish().describe('End; null or omitted: when it is removed.'),
  reason: mandatoryReason,
});

@InputType({ description: 'An override for one tenant. It replaces another one for the same limits.' })
export class OverrideSetInput extends InputOf(overrideSetSchema, ManagedInput) {}

export const boostStartSchema = adjustmentSchema({
  endsAt: z.date().describe('End: at most 72 hours from now for support, 30 days for others.'),
  reason: mandatoryReason,
}).superRefine(({ effect }, context) => {
  if (effect.kind === 'set') {
    const message = 'A boost adds or multiplies. To set a limit, use an override.';
    context.addIssue({ code: 'custom', path: ['effect', 'kind'], message });
  } else if (effect.kind === 'multiply' && effect.percent <= 100) {
    const message = 'A boost raises limits. Choose more than 100 percent, or use an override.';
    context.addIssue({ code: 'custom', path: ['effect', 'percent'], message });
  }
});

@InputType({ description: 'A temporary increase: ADD, or MULTIPLY by more than 100 percent.' })
export class BoostStartInput extends InputOf(boostStartSchema, MutationInput) {}

const overrideId = (description: string) =>
  idField(description).refine((id) => kindOfId(id) === 'override', 'Not the id of an override or boost');

export const overrideRemoveSchema = z.object({
  overrideId: overrideId('The override.'),
  reason: mandatoryReason,
});

@InputType({ description: 'The override to remove.' })
export class OverrideRemoveInput extends InputOf(overrideRemoveSchema, ManagedInput) {}

export const boostEndSchema = z.object({ boostId: overrideId('The boost.'), reason: mandatoryReason });

@InputType({ description: 'The boost to end early.' })
export class BoostEndInput extends InputOf(boostEndSchema, MutationInput) {}

const max = z
  .int()
  .min(1, 'Enter a whole number of 1 or more')
  .meta({ graphql: () => SafeInt });

export const ownLimitSetSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  apiKey: apiKeySchema.describe('Key of the API.'),
  limit: limitNameSchema.describe('Name of the limit.'),
  max: max.describe('The own limit, below the limit that applies without it.'),
});

@InputType({ description: 'A lower limit that the tenant sets itself. It replaces an earlier one.' })
export class OwnLimitSetInput extends InputOf(ownLimitSetSchema, MutationInput) {}

export const ownLimitRemoveSchema = ownLimitSetSchema.omit({ max: true });

@InputType({ description: 'The own limit to remove.' })
export class OwnLimitRemoveInput extends InputOf(ownLimitRemoveSchema, MutationInput) {}

/** Start and end of an override; an error for times in the past. */
export function overrideTimes(
  { startsAt, expiresAt }: { startsAt?: Date | null | undefined; expiresAt?: Date | null | undefined },
  now: Date,
): { startsAt: Date; endsAt: Date | null } | UserError {
  if (startsAt != null && isPast(startsAt, now)) {
    return invalid(['startsAt'], 'An override cannot start in the past. Omit startsAt to start now.');
  }
  const begins = startsAt ?? now;
  const endsAt = expiresAt ?? null;
  if (endsAt !== null && endsAt <= now) {
    return invalid(['expiresAt'], 'An override cannot end in the past. Choose a later expiry.');
  }
  if (endsAt !== null && endsAt <= begins) {
    return invalid(['expiresAt'], 'The override ends before it starts. Choose a later expiry.');
  }
  return { startsAt: begins, endsAt };
}

/** Validates the end of a boost. @param isAdmin whether the caller may set overrides too */
export function findBoostEndProblem(endsAt: Date, now: Date, isAdmin: boolean): UserError | undefined {
  const problem = (message: string) => invalid(['endsAt'], message);
  if (endsAt <= now) return problem('A boost cannot end in the past. Choose a later end.');
  const maxHours = isAdmin ? MAX_BOOST_HOURS : MAX_SUPPORT_BOOST_HOURS;
  if (endsAt.getTime() - now.getTime() <= maxHours * HOUR_MS) return undefined;
  return problem(
    isAdmin
      ? `A boost lasts ${maxHours / 24} days at most. For longer, use an override.`
      : `A boost by support lasts ${maxHours} hours at most. Ask a limits admin for more.`,
  );
}

export const OverrideStatus = enumOf('OverrideStatus', 'Status of an override or boost.', {
  SCHEDULED: 'Starts later.',
  ACTIVE: 'In effect.',
  ENDED: 'Expired.',
  REMOVED: 'Ended manually.',
});
export type OverrideStatus = keyof typeof OverrideStatus;

export function statusOf(
  { removedAt, startsAt, endsAt }: Record<'removedAt' | 'endsAt', Date | null> & { startsAt: Date },
  now: Date,
): OverrideStatus {
  if (removedAt !== null) return OverrideStatus.REMOVED;
  if (endsAt !== null && endsAt <= now) return OverrideStatus.ENDED;
  return startsAt > now ? OverrideStatus.SCHEDULED : OverrideStatus.ACTIVE;
}

registerEnum(OverrideKind, 'OverrideKind', 'Override or boost.', {
  OVERRIDE: 'Replaces or changes the limits of the tenant.',
  BOOST: 'Raises the limits of the tenant temporarily.',
  OWN: 'Lowers a limit at the request of the tenant, which set it itself.',
});

@ObjectType({
  implements: () => [Node],
  description: 'A change of the limits of one tenant, made by an operator or, as `OWN`, by a member.',
})
export class Override extends ObjectOf(LimitAdjustment, {
  kind: field.of(() => OverrideKind, 'Override or boost.'),
  status: field.of(() => OverrideStatus, 'Status.'),
  reason: field.string('Reason; null for members of the tenant.').nullable(),
  endsAt: field.dateTime('When it ends automatically; null: when it is removed.').nullable(),
  createdBy: field.string('Author.'),
  createdAt: field.dateTime('When it was created.'),
  removedAt: field.dateTime('When it was ended manually; null: it was not.').nullable(),
  managedBy: field.of(() => ManagedBy, 'Whether the console or a configuration manages it.'),
  tenant: field.of(() => Tenant, 'The tenant.'),
}) {}

export const OverrideConnection = connectionOf(Override, 'Override', 'overrides and boosts');

@ArgsType()
export class OverridesArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only of this tenant; omitted: all tenants visible to the caller.').optional(),
  kind: field.of(() => OverrideKind, 'Only of this kind.').optional(),
  live: field.boolean('Only active and scheduled ones.').optional(),
}) {}

@ObjectType({ description: 'Outcome of a change to an override or boost.' })
export class OverridePayload extends ObjectOf(AdjustmentPayload, {
  override: field.of(() => Override, 'The override or boost.').nullable(),
}) {}
