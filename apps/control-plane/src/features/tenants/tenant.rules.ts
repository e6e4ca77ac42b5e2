import { tenantKeySchema, tierKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { displayName, optionalNote, orDefault } from '../../platform/changes/text.js';

const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'Not the IANA name of a time zone, such as Europe/Berlin');

export const tenantCreateSchema = z.object({
  key: tenantKeySchema,
  name: displayName,
  tierKey: tierKeySchema,
  timeZone: orDefault(timeZone, 'UTC'),
  reason: optionalNote,
});

export const tenantTierChangeSchema = z.object({
  tenantKey: tenantKeySchema,
  tierKey: tierKeySchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const tenantStatusSchema = tenantTierChangeSchema.omit({ tierKey: true });

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
