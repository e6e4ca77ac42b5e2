import { apiKeySchema, MAX_COST, operationNameSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { description, displayName, optionalNote, orDefault } from '../../platform/changes/text.js';
import { UnknownOperations } from '../../platform/prisma/schema.js';

export const apiCreateSchema = z.object({
  key: apiKeySchema,
  name: displayName,
  description,
  unknownOperations: orDefault(z.enum(UnknownOperations), UnknownOperations.ALLOW),
  reason: optionalNote,
});

export const operationCreateSchema = z.object({
  apiKey: apiKeySchema,
  name: operationNameSchema,
  description,
  cost: orDefault(
    z.int().min(1, 'cost must be 1 or more').max(MAX_COST, `cost must be ${MAX_COST} or less`),
    1,
  ),
  expectedVersion: z.int(),
  reason: optionalNote,
});
