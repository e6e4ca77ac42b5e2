import { ArgsType, Field, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import * as z from 'zod';
import { userError } from '../../../platform/changes/outcome.js';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import {
  FORCE,
  ManagedInput,
  MutationInput,
  PublishedPayload,
} from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime } from '../../../platform/graphql/scalars.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { kindOfId } from '../../../platform/ids.js';
import { ManagedBy, OverrideKind } from '../../../platform/prisma/schema.js';
import { AdjustmentInput, LimitPreview, PlacedAdjustment } from '../entitlements/adjustment-input.graphql.js';
import { adjustmentSchema, mandatoryReason } from '../entitlements/adjustment-input.rules.js';
import { isPast } from '../entitlements/entitlement.rules.js';
import { Tenant } from '../tenants/tenants.graphql.js';

const HOUR_MS = 3_600_000;

/** How long an override lasts when nobody says. */
export const DEFAULT_OVERRIDE_MS = 30 * 24 * HOUR_MS;

/** The longest boost that support may start, and the longest of all. */
const MAX_SUPPORT_BOOST_HOURS = 72;
const MAX_BOOST_HOURS = 30 * 24;

export const overrideSetSchema = adjustmentSchema({
  startsAt: z.date().nullish(),
  expiresAt: z.date().nullish(),
  reason: mandatoryReason,
});

export const boostStartSchema = adjustmentSchema({ endsAt: z.date(), reason: mandatoryReason }).superRefine(
  ({ effect }, context) => {
    const isLower = effect.kind === 'multiply' && effect.percent <= 100;
    if (effect.kind === 'set') {
      const message = 'A boost adds or multiplies; to set a number, make an override';
      context.addIssue({ code: 'custom', path: ['effect', 'kind'], message });
    } else if (isLower) {
      const message = 'A boost raises limits; choose more than 100 percent, or make an override';
      context.addIssue({ code: 'custom', path: ['effect', 'percent'], message });
    }
  },
);

const overrideId = z
  .string()
  .refine((id) => kindOfId(id) === 'override', 'Not the id of an override or boost');

export const overrideRemoveSchema = z.object({ overrideId, reason: mandatoryReason });
export const boostEndSchema = z
  .object({ boostId: overrideId, reason: mandatoryReason })
  .transform(({ boostId, reason }) => ({ overrideId: boostId, reason }));

/** When an override begins and ends; an error for one in the past. */
export function overrideTimes(
  { startsAt, expiresAt }: { startsAt?: Date | null | undefined; expiresAt?: Date | null | undefined },
  now: Date,
): { startsAt: Date; endsAt: Date | null } | UserError {
  if (startsAt != null && isPast(startsAt, now)) {
    const message = 'An override cannot begin in the past; leave startsAt out for now.';
    return userError(UserErrorCode.INVALID, ['startsAt'], message);
  }
  const begins = startsAt ?? now;
  const endsAt = expiresAt === undefined ? new Date(begins.getTime() + DEFAULT_OVERRIDE_MS) : expiresAt;
  if (endsAt !== null && endsAt <= now) {
    const message = 'An override cannot end in the past; choose a later expiry.';
    return userError(UserErrorCode.INVALID, ['expiresAt'], message);
  }
  if (endsAt !== null && endsAt <= begins) {
    return userError(
      UserErrorCode.INVALID,
      ['expiresAt'],
      'It ends before it begins; choose a later expiry.',
    );
  }
  return { startsAt: begins, endsAt };
}

/** What is wrong with the end of a boost. @param isAdmin whether its maker may make overrides too */
export function findBoostEndProblem(endsAt: Date, now: Date, isAdmin: boolean): UserError | undefined {
  const problem = (message: string) => userError(UserErrorCode.INVALID, ['endsAt'], message);
  if (endsAt <= now) return problem('A boost cannot end in the past; choose a later end.');
  const maxHours = isAdmin ? MAX_BOOST_HOURS : MAX_SUPPORT_BOOST_HOURS;
  if (endsAt.getTime() - now.getTime() <= maxHours * HOUR_MS) return undefined;
  return problem(
    isAdmin
      ? `A boost lasts ${maxHours / 24} days at most; for longer, make an override.`
      : `A boost by support lasts ${maxHours} hours at most; ask a limits admin for more.`,
  );
}

export enum OverrideStatus {
  SCHEDULED = 'SCHEDULED',
  ACTIVE = 'ACTIVE',
  ENDED = 'ENDED',
  REMOVED = 'REMOVED',
}

registerEnumType(OverrideKind, {
  name: 'OverrideKind',
  description: 'What kind of exception it is.',
  valuesMap: {
    OVERRIDE: { description: 'Takes the place of what the tenant has, or changes it.' },
    BOOST: { description: 'Raises what the tenant has, for a while.' },
  },
});
registerEnumType(OverrideStatus, {
  name: 'OverrideStatus',
  description: 'Whether an override or boost is in force.',
  valuesMap: {
    SCHEDULED: { description: 'It will be.' },
    ACTIVE: { description: 'It is.' },
    ENDED: { description: 'It has ended by itself.' },
    REMOVED: { description: 'Somebody ended it.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'An exception for one tenant, made by an operator.' })
export class Override extends PlacedAdjustment {
  @Field(() => OverrideKind, { description: 'What kind of exception it is.' })
  kind!: OverrideKind;

  @Field(() => OverrideStatus, { description: 'Whether it is in force.' })
  status!: OverrideStatus;

  @Field(() => String, { nullable: true, description: 'Why it was made; null to the tenant’s own people.' })
  reason!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself; null: when it is removed.' })
  endsAt!: Date | null;

  @Field({ description: 'Who made it.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When somebody ended it; null: nobody did.' })
  removedAt!: Date | null;

  @Field(() => ManagedBy, { description: 'Whether the console or a configuration manages it.' })
  managedBy!: ManagedBy;

  @Field(() => Tenant, { description: 'Whose limits it changes.' })
  tenant!: Tenant;
}

export const OverrideConnection = connectionOf(Override, 'Override', 'overrides and boosts');

@ArgsType()
export class OverridesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Only of the tenant of this key; left out: of all that the caller may see.',
  })
  tenantKey?: string | null;

  @Field(() => OverrideKind, { nullable: true, description: 'Only of this kind.' })
  kind?: OverrideKind | null;

  @Field(() => Boolean, { nullable: true, description: 'Only what is in force now or will be.' })
  live?: boolean | null;
}

@InputType({
  description: 'An exception for one tenant. It takes the place of another one for the same limits.',
})
export class OverrideSetInput extends AdjustmentInput {
  @Field(() => DateTime, { nullable: true, description: 'From when on; left out: now.' })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ends by itself; left out: in 30 days; null: when it is removed.',
  })
  expiresAt?: Date | null;

  @Field(FORCE)
  force?: boolean;
}

@InputType({
  description: 'More of what a tenant has, for a while: ADD, or MULTIPLY by more than 100 percent.',
})
export class BoostStartInput extends AdjustmentInput {
  @Field(() => DateTime, {
    description: 'When it ends by itself: 72 hours from now at most for support, 30 days for others.',
  })
  endsAt!: Date;
}

@InputType({ description: 'An override that is removed.' })
export class OverrideRemoveInput extends ManagedInput {
  @Field(() => ID, { description: 'The override.' })
  overrideId!: string;
}

@InputType({ description: 'A boost that is ended before its time.' })
export class BoostEndInput extends MutationInput {
  @Field(() => ID, { description: 'The boost.' })
  boostId!: string;
}

@ObjectType({ description: 'Outcome of a change to an override or boost.' })
export class OverridePayload extends PublishedPayload {
  @Field(() => Override, { nullable: true, description: 'The override or boost.' })
  override!: Override | null;

  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant after the change; on CONFLICT as it is now.',
  })
  tenant!: Tenant | null;

  @Field(() => [String], { description: 'What is done all the same, and should be known.' })
  warnings!: string[];

  @Field(() => [LimitPreview], {
    description: "Of a dry run: what the tenant's limits would be; else empty.",
  })
  preview!: LimitPreview[];
}
