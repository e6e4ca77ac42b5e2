import { apiKeySchema, limitNameSchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { kindOfId } from '../../../platform/ids.js';
import { QuotaRequestStatus } from '../../../platform/prisma/schema.js';
import { QuotaRequestGrant } from './quota-requests.graphql.js';

const amount = z.int().min(1, 'A limit is 1 or more');
const requestId = z
  .string()
  .refine((id) => kindOfId(id) === 'quotaRequest', 'Not the id of a request for a higher limit');
const said = (message: string) =>
  optionalNote.transform((text, context) => {
    if (text !== null) return text;
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  });
const decision = { requestId, expectedVersion: z.int(), reason: optionalNote };

export const quotaRequestCreateSchema = z.object({
  tenantKey: tenantKeySchema,
  apiKey: apiKeySchema,
  limit: limitNameSchema,
  wanted: amount,
  why: said('Say why: it is what the decision goes by'),
  reason: optionalNote,
});

export const quotaRequestApproveSchema = z.object({
  ...decision,
  as: orDefault(z.enum(QuotaRequestGrant), QuotaRequestGrant.OVERRIDE),
  expiresAt: z.date().nullish(),
  answer: optionalNote,
});

export const quotaRequestCounterSchema = z.object({
  ...decision,
  offered: amount,
  until: z.date().nullish(),
  answer: said('Say why you offer this'),
});

export const quotaRequestDeclineSchema = z.object({ ...decision, answer: said('Say why it is declined') });

export const quotaRequestOwnSchema = z.object({ ...decision, tenantKey: tenantKeySchema });

const { OPEN, COUNTERED } = QuotaRequestStatus;

/** In which status each thing can be done. */
export const POSSIBLE = {
  approve: [OPEN, COUNTERED],
  counter: [OPEN, COUNTERED],
  decline: [OPEN, COUNTERED],
  accept: [COUNTERED],
  withdraw: [OPEN, COUNTERED],
} as const satisfies Record<string, readonly QuotaRequestStatus[]>;

export type QuotaRequestStep = keyof typeof POSSIBLE;
