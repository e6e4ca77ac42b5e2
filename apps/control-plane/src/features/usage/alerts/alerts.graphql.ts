import { InputType, ObjectType } from '@nestjs/graphql';
import { apiKeySchema, limitNameSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { ManagedInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { ManagedBy } from '../../../platform/prisma/schema.js';

@ObjectType({
  description:
    'Percentages of its limits at which a tenant is alerted. A setting for a limit takes precedence over one for its API, which takes precedence over one for all APIs. Without settings the thresholds are 80 and 100 percent.',
})
export class AlertThreshold extends ObjectOf({
  id: field.id('Id of the setting.'),
  apiKey: field.string('Key of the API; null: all APIs.').nullable(),
  limitName: field.string('Name of the limit; null: all limits of the API.').nullable(),
  percents: field.int('Percentages in ascending order. 100 always triggers an alert.').list(),
  managedBy: field.of(() => ManagedBy, 'Whether the setting is managed by the configuration file.'),
}) {}

export const alertThresholdSetSchema = z
  .object({
    tenantKey: tenantKeySchema.describe('Key of the tenant.'),
    apiKey: apiKeySchema.nullish().describe('Key of the API; all APIs by default.'),
    limitName: limitNameSchema.nullish().describe('Name of the limit; all limits of the API by default.'),
    percents: z
      .array(z.int().min(1, 'A threshold must be 1 or more').max(100, 'A threshold must be 100 or less'))
      .min(1, 'At least one threshold is required')
      .describe('Percentages from 1 to 100; at most 8 different ones over all settings of the tenant.')
      .transform((percents) => [...new Set(percents)].sort((a, b) => a - b)),
    reason: optionalNote,
  })
  .refine(({ apiKey, limitName }) => limitName == null || apiKey != null, {
    path: ['apiKey'],
    message: '`apiKey` is required with `limitName`',
  });

@InputType({ description: 'Thresholds at which to alert a tenant.' })
export class AlertThresholdSetInput extends InputOf(alertThresholdSetSchema, ManagedInput) {}

export const alertThresholdRemoveSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  id: idField('Id of the setting.'),
  reason: optionalNote,
});

@InputType({ description: 'The setting to remove.' })
export class AlertThresholdRemoveInput extends InputOf(alertThresholdRemoveSchema, ManagedInput) {}

@ObjectType({ description: 'Outcome of a change to alert thresholds.' })
export class AlertThresholdsPayload extends ObjectOf(PublishedPayload, {
  alertThresholds: field
    .of(() => AlertThreshold, 'All settings of the tenant after the change.')
    .list()
    .nullable(),
}) {}
