import { periodAt } from '@tollgate/decision-plane';
import type { BillingCalendar } from './holds.repository.js';

/** When the billing period ends that runs at `now`, by each of the calendars. */
export function periodEnds(
  calendars: readonly BillingCalendar[],
  now: Date,
): (BillingCalendar & { at: Date })[] {
  return calendars.map(({ timeZone, billingAnchorDay }) => {
    const { endMs } = periodAt('billing', timeZone, billingAnchorDay, now.getTime());
    return { timeZone, billingAnchorDay, at: new Date(endMs) };
  });
}
