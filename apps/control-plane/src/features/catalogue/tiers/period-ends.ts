import { periodAt } from '@tollgate/decision-plane/internals';
import type { BillingCalendar } from './holds.repository.js';

/** When the billing period ends that runs by each of the calendars, at its own time or at the real one, `realNow`. */
export function periodEnds(
  calendars: readonly BillingCalendar[],
  realNow: Date,
): (BillingCalendar & { at: Date })[] {
  return calendars.map((calendar) => {
    const { timeZone, billingAnchorDay, testNow } = calendar;
    const { endMs } = periodAt('billing', timeZone, billingAnchorDay, (testNow ?? realNow).getTime());
    return { ...calendar, at: new Date(endMs) };
  });
}
