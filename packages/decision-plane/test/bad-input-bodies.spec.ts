import {
  capacityReportSchema,
  limitBatchSchema,
  limitRequestSchema,
  receiptRequestSchema,
  refundRequestSchema,
  reportRequestSchema,
  reserveRequestSchema,
  resetRequestSchema,
  settleRequestSchema,
} from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { mutated } from '../../policy/test/json-mutations.js';

const request = {
  tenant: 'acme',
  api: 'url-shortener',
  operation: 'createURL',
  subject: { user: 'u1', ip: '203.0.113.9' },
  cost: 2,
};
const receipt = { tenant: 'acme', requestId: 'r-1' };

const BODIES: [name: string, schema: z.ZodType, body: object][] = [
  ['limit', limitRequestSchema, { ...request, requestId: 'r-1' }],
  ['batch', limitBatchSchema, { requests: [request, request] }],
  ['reserve', reserveRequestSchema, { ...request, expiresInMs: 5000 }],
  ['settle', settleRequestSchema, { ...receipt, cost: 3, overrun: 'cap' }],
  ['release and renew', receiptRequestSchema, receipt],
  ['refund by id', refundRequestSchema, receipt],
  ['refund by cost', refundRequestSchema, request],
  ['report', reportRequestSchema, { ...receipt, outcome: 'failure' }],
  ['reset', resetRequestSchema, { tenant: 'acme', api: 'a', operation: 'o', limit: 'l' }],
  ['capacity', capacityReportSchema, { api: 'a', pool: 'p', service: 's', utilizationPercent: 50 }],
];

/** Every number and text in a value. */
function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
}

describe('a changed valid body is accepted or rejected with a reason, without throwing', () => {
  it.each(BODIES)('%s', (_name, schema, body) => {
    fc.assert(
      fc.property(fc.oneof(mutated(body), fc.jsonValue()), (input) => {
        const parsed = schema.safeParse(input);
        if (!parsed.success) {
          expect(parsed.error.issues[0]?.message.length).toBeGreaterThan(3);
          return;
        }
        for (const leaf of leaves(parsed.data)) {
          if (typeof leaf === 'number') expect(leaf >= 0 && leaf <= 1e9).toBe(true);
          else if (leaf !== undefined) expect(String(leaf).length).toBeLessThanOrEqual(1024);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
