import { tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { kindOfId } from '../../../platform/ids.js';
import { CarryOver, EntitlementSource } from '../../../platform/prisma/schema.js';
import { mandatoryReason, targetSchema } from './adjustment-input.rules.js';

/** A little late is not the past: the request took a moment to get here. */
const LATENESS_MS = 60_000;

export const isPast = (date: Date, now: Date) => date.getTime() < now.getTime() - LATENESS_MS;

const raising = targetSchema.superRefine(({ effect }, context) => {
  const message =
    effect.kind === 'set'
      ? 'An entitlement adds or multiplies; to set a number, make an override'
      : 'An entitlement raises limits; to lower one, make an override';
  const isLower = effect.kind === 'multiply' && effect.percent <= 100;
  if (effect.kind === 'set') context.addIssue({ code: 'custom', path: ['effect', 'kind'], message });
  if (isLower) context.addIssue({ code: 'custom', path: ['effect', 'percent'], message });
});

export const entitlementGrantSchema = z
  .object({
    tenantKey: tenantKeySchema,
    expectedVersion: z.int(),
    source: z.enum(EntitlementSource),
    label: displayName,
    effects: z
      .array(raising)
      .min(1, 'A grant has an effect at least')
      .max(10, 'A grant has at most 10 effects'),
    startsAt: z.date().nullish(),
    endsAt: z.date().nullish(),
    carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
    reason: optionalNote,
  })
  .refine(({ startsAt, endsAt }) => startsAt == null || endsAt == null || endsAt > startsAt, {
    path: ['endsAt'],
    message: 'It ends before it begins; choose a later end',
  });

export const entitlementRevokeSchema = z.object({
  entitlementId: z.string().refine((id) => kindOfId(id) === 'entitlement', 'Not the id of an entitlement'),
  at: z.date().nullish(),
  reason: mandatoryReason,
});
