import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/text.js';
import { OperatorRole } from '../../../platform/prisma/schema.js';

const role = z.enum(OperatorRole);

export const operatorRoleSchema = z.object({ role, reason: optionalNote });

export const operatorStatusSchema = z.object({ reason: optionalNote });
