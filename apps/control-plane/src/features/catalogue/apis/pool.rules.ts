import { apiKeySchema, poolNameSchema, poolSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { notFound, userError } from '../../../platform/changes/outcome.js';
import { optionalNote, orDefault } from '../../../platform/changes/text.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';

/** The most pools that one API may have. */
export const MAX_POOLS_PER_API = 16;

/** Of the capacity, percent, unless the admin says otherwise. */
const DEFAULT_RECLAIM_PERCENT = 80;

const { operations, capacity, reclaimPercent } = poolSchema.shape;

export const poolDeleteSchema = z.object({
  apiKey: apiKeySchema,
  name: poolNameSchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const poolCreateSchema = poolDeleteSchema.extend({
  operations: orDefault(operations, []),
  capacity,
  reclaimPercent: orDefault(reclaimPercent, DEFAULT_RECLAIM_PERCENT),
});

export const poolUpdateSchema = poolDeleteSchema.extend({
  operations: operations.nullish(),
  capacity: capacity.nullish(),
  reclaimPercent: reclaimPercent.nullish(),
});

/** What of `operations` the API does not have, or names twice. */
export function findWrongOperations(
  operations: readonly string[],
  known: ReadonlySet<string>,
  apiKey: string,
): UserError[] {
  const seen = new Set<string>();
  return operations.flatMap((name, index) => {
    const field = ['operations', String(index)];
    if (seen.has(name)) return [userError(UserErrorCode.INVALID, field, `"${name}" is named twice`)];
    seen.add(name);
    return known.has(name) ? [] : [notFound(field, `operation "${name}" in API "${apiKey}"`)];
  });
}
