import { tagSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';

/** The most tenants that a cohort names one by one. */
const MAX_COHORT_TENANTS = 1000;

/** Some of a tier's tenants: those with one of the tags, those that are named, and a part of all. */
export const cohortSchema = z
  .object({
    tags: z.array(tagSchema).max(20, 'At most 20 tags').nullish(),
    tenantKeys: z
      .array(tenantKeySchema)
      .max(MAX_COHORT_TENANTS, `At most ${MAX_COHORT_TENANTS} tenants by name; give them a tag`)
      .nullish(),
    percent: z.int().min(1, 'percent must be 1 or more').max(100, 'percent must be 100 or less').nullish(),
  })
  .transform(({ tags, tenantKeys, percent }) => ({
    tags: tags ?? [],
    tenantKeys: tenantKeys ?? [],
    percent: percent ?? 0,
  }))
  .refine(({ tags, tenantKeys, percent }) => tags.length + tenantKeys.length + percent > 0, {
    message: 'Say who belongs to the cohort: tags, tenantKeys or percent',
  });

export type Cohort = z.output<typeof cohortSchema>;
