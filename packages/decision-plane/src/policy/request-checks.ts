import {
  type FieldError,
  type LimitRequest,
  limitRequestSchema,
  MAX_COST,
  MAX_SUBJECT_VALUE,
  TollgateError,
} from '@tollgate/contracts';
import type * as z from 'zod';

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Refuses a request that nothing can be decided by, whatever its type said: a cost of NaN would pass for free, and one that
 * is no integer would break the batch that it travels in. Whether names are known is not its business.
 * @throws TollgateError `body-invalid`, with what is wrong by field
 */
export function assertRequest(request: LimitRequest): void {
  if (!isSound(request)) assertBody(limitRequestSchema, request);
}

/** As {@link assertRequest}, for what is not asked for with each decision. */
export function assertBody(schema: z.ZodType, body: unknown): void {
  const parsed = schema.safeParse(body);
  if (parsed.success) return;
  const errors = parsed.error.issues.map(
    ({ path, message }): FieldError => ({ field: path.join('.'), message }),
  );
  throw new TollgateError('body-invalid', { errors });
}

// By hand, because every decision pays for it.
function isSound(request: LimitRequest): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { tenant, api, operation, cost, requestId, subject } = request;
  if (typeof tenant !== 'string' || typeof api !== 'string' || typeof operation !== 'string') return false;
  if (cost !== undefined && !(Number.isInteger(cost) && cost >= 1 && cost <= MAX_COST)) return false;
  if (requestId !== undefined && !(typeof requestId === 'string' && REQUEST_ID.test(requestId))) return false;
  if (subject === undefined) return true;
  if (typeof subject !== 'object' || subject === null) return false;
  for (const dimension in subject) {
    const value = subject[dimension];
    if (typeof value !== 'string' || value.length === 0 || value.length > MAX_SUBJECT_VALUE) return false;
  }
  return true;
}
