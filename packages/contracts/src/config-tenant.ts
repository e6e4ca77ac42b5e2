import * as z from 'zod';
import { adjustmentEffectSchema } from './adjustments.js';
import { configCarryOver, configFields, configTarget } from './config-fields.js';
import { tierKeySchema } from './names.js';
import { MAX_ALERT_PERCENTS, MAX_ALERT_SETTINGS } from './snapshot.js';

/** The most exceptions that a configuration keeps for one tenant. */
const MAX_OVERRIDES = 64;

const moment = z.iso.datetime({ offset: true, error: 'Write a time such as 2030-12-31T00:00:00Z' });

/** An exception for a tenant. Those of one tenant are for different limits. */
const configOverrideSchema = z.strictObject({
  ...configTarget,
  appliesTo: z.enum(['rate', 'quota']).optional(),
  effect: adjustmentEffectSchema,
  /** Left out: when it is applied first. */
  starts: moment.optional(),
  /** Left out: when the configuration does not say it any more. */
  expires: moment.optional(),
  carryOver: configCarryOver,
  reason: z.string().min(1, 'Say why: whoever looks at it later has nothing else to go by').max(500),
});

/** At which parts of its limits the tenant is told. */
const configAlertSchema = z.strictObject({
  ...configTarget,
  percents: z
    .array(z.int().min(1, 'A threshold is 1 percent or more').max(100, 'A threshold is 100 percent or less'))
    .min(1)
    .max(MAX_ALERT_PERCENTS),
});

export const configTenantSchema = z.strictObject({
  name: configFields.name,
  tier: tierKeySchema,
  pinnedVersion: z.int().min(1).optional(),
  timeZone: z.string().max(64).optional(),
  billingAnchorDay: z.int().min(1).max(31).optional(),
  tags: configFields.tags,
  overrides: z.array(configOverrideSchema).max(MAX_OVERRIDES).optional(),
  alerts: z.array(configAlertSchema).max(MAX_ALERT_SETTINGS).optional(),
});

export type ConfigTenant = z.infer<typeof configTenantSchema>;
