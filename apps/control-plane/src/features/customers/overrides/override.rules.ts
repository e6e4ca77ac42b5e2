import * as z from 'zod';
import { userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { kindOfId } from '../../../platform/ids.js';
import { adjustmentSchema, mandatoryReason } from '../entitlements/adjustment-input.rules.js';
import { isPast } from '../entitlements/entitlement.rules.js';

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
