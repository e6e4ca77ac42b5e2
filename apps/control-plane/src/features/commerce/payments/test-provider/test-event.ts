import * as z from 'zod';
import { type PurchaseFact, purchaseFactSchema } from '../purchase-fact.js';

/** What the test provider posts. */
export const testEventSchema = z.object({
  id: z.string().min(1).max(64),
  object: z.literal('test_event'),
  purchase: z.string(),
  /** Billing time of the tenant: that of its test clock, where it has one. */
  at: z.iso.datetime(),
  fact: purchaseFactSchema,
});

export type TestEvent = z.output<typeof testEventSchema>;

export function toTestEvent(id: string, purchase: string, at: Date, fact: PurchaseFact): TestEvent {
  return { id, object: 'test_event', purchase, at: at.toISOString(), fact };
}
