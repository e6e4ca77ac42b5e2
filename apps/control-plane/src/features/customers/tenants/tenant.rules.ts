import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault, tags } from '../../../platform/changes/outcome.js';
import { CarryOver } from '../../../platform/prisma/schema.js';

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'Not the IANA name of a time zone, such as Europe/Berlin');

const billingAnchorDay = z
  .int()
  .min(1, 'billingAnchorDay must be 1 or more')
  .max(31, 'billingAnchorDay must be 31 or less');

export const tenantCreateSchema = z.object({
  key: tenantKeySchema,
  name: displayName,
  tierKey: tierKeySchema,
  timeZone: orDefault(timeZone, 'UTC'),
  billingAnchorDay: orDefault(billingAnchorDay, 1),
  tags: orDefault(tags, []),
  reason: optionalNote,
});

export const tenantTierChangeSchema = z.object({
  tenantKey: tenantKeySchema,
  tierKey: tierKeySchema,
  pinnedVersion: z.int().min(1, 'pinnedVersion must be 1 or more').nullish(),
  carryOver: orDefault(z.enum(CarryOver), CarryOver.KEEP),
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const tenantStatusSchema = tenantTierChangeSchema.pick({
  tenantKey: true,
  expectedVersion: true,
  reason: true,
});

export const tenantUpdateSchema = tenantStatusSchema.extend({
  name: displayName.nullish(),
  timeZone: timeZone.nullish(),
  billingAnchorDay: billingAnchorDay.nullish(),
  tags: tags.nullish(),
});

function isTimeZone(name: string): boolean {
  // Offsets such as "+02:00" are accepted by Intl too, but they know no daylight saving.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
