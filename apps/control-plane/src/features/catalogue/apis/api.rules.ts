import { apiKeySchema, MAX_COST, operationNameSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { userError } from '../../../platform/changes/outcome.js';
import {
  description,
  displayName,
  optionalDescription,
  optionalNote,
  orDefault,
  tags,
} from '../../../platform/changes/text.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { HeaderStyle, Priority, UnknownOperations } from '../../../platform/prisma/schema.js';
import { coversOperation, mostAtOnce } from '../limits/capacity.rules.js';
import type { LimitInForce } from './apis.repository.js';

const headerStyles = z
  .array(z.enum(HeaderStyle))
  .max(Object.keys(HeaderStyle).length)
  .refine((styles) => new Set(styles).size === styles.length, 'A style is named twice');

export const apiCreateSchema = z.object({
  key: apiKeySchema,
  name: displayName,
  description,
  unknownOperations: orDefault(z.enum(UnknownOperations), UnknownOperations.COUNT),
  headerStyles: orDefault(headerStyles, [HeaderStyle.DRAFT_11]),
  tags: orDefault(tags, []),
  reason: optionalNote,
});

export const apiChangeSchema = z.object({
  apiKey: apiKeySchema,
  expectedVersion: z.int(),
  reason: optionalNote,
});

export const apiUpdateSchema = apiChangeSchema.extend({
  name: displayName.nullish(),
  description: optionalDescription,
  unknownOperations: z.enum(UnknownOperations).nullish(),
  headerStyles: headerStyles.nullish(),
  tags: tags.nullish(),
});

const cost = z.int().min(1, 'cost must be 1 or more').max(MAX_COST, `cost must be ${MAX_COST} or less`);

export const operationSchema = apiChangeSchema.extend({ name: operationNameSchema });

export const operationCreateSchema = operationSchema.extend({
  description,
  cost: orDefault(cost, 1),
  priority: orDefault(z.enum(Priority), Priority.NORMAL),
});

export const operationUpdateSchema = operationSchema.extend({
  description: optionalDescription,
  cost: cost.nullish(),
  priority: z.enum(Priority).nullish(),
});

/** Limits in force that would never let an operation of this cost pass. */
export function findTooDear(operation: string, cost: number, limits: readonly LimitInForce[]): UserError[] {
  return limits.flatMap(({ tierKey, version, policy }) => {
    const most = coversOperation(policy, operation) ? mostAtOnce(policy) : undefined;
    if (most === undefined || cost <= most) return [];
    const message = `Limit "${policy.name}" of tier "${tierKey}", version ${version}, lets at most ${most} pass at once: "${operation}" never could`;
    return [userError(UserErrorCode.INVALID, ['cost'], message)];
  });
}
