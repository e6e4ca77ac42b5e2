import * as z from 'zod';
import { apiKeySchema, limitNameSchema, tagSchema } from './names.js';

/** Fields that several parts of a configuration have. */
export const configFields = {
  name: z.string().min(1, 'A name is needed').max(80, 'At most 80 characters'),
  description: z.string().max(500, 'At most 500 characters').optional(),
  tags: z.array(tagSchema).max(20, 'At most 20 tags').optional(),
};

/** Which limits something is for. */
export const configTarget = {
  /** Left out: every API. */
  api: apiKeySchema.optional(),
  /** Left out: every limit of the API. */
  limit: limitNameSchema.optional(),
};

/** What a limit's usage becomes when its number changes; `keep` when left out. */
export const configCarryOver = z.enum(['keep', 'reset', 'proportional', 'additive']).optional();
