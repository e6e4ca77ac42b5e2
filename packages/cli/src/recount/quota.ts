import type { PolicyOf, QuotaPeriod } from '@tollgate/contracts';
import { judgeNamedWindows } from './named-window.js';
import type { JudgedCharge, RecountRule } from './recount-rule.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Where clocks are put forward and back an hour; Lord Howe's half hour lies between. */
const LENGTHS_MS: Record<QuotaPeriod, { shortest: number; longest: number }> = {
  day: { shortest: DAY_MS - HOUR_MS, longest: DAY_MS + HOUR_MS },
  week: { shortest: 7 * DAY_MS - HOUR_MS, longest: 7 * DAY_MS + HOUR_MS },
  month: { shortest: 28 * DAY_MS - HOUR_MS, longest: 31 * DAY_MS + HOUR_MS },
  billing: { shortest: 28 * DAY_MS - HOUR_MS, longest: 31 * DAY_MS + HOUR_MS },
};

/** Local midnights lie on whole quarters of an hour of UTC in every zone. */
const QUARTER_MS = HOUR_MS / 4;

/**
 * Counts a quota again: `reset` names the period that a charge went into. The tenant's time zone is not told here, so a
 * period's end is only held to be a midnight somewhere; what was admitted within one is counted all the same.
 */
export const quotaRecount: RecountRule<PolicyOf<'quota'>> = {
  regime: ({ period }) => period,

  judge(charges, toleranceMs) {
    const period = charges[0]?.policy.period ?? 'day';
    return judgeNamedWindows(
      charges,
      (charge) => isPlausible(charge, toleranceMs),
      LENGTHS_MS[period].shortest,
    );
  },
};

function isPlausible(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<PolicyOf<'quota'>>,
  toleranceMs: number,
): boolean {
  const latestMs = receivedMs + LENGTHS_MS[policy.period].longest + toleranceMs;
  return resetMs % QUARTER_MS === 0 && resetMs > sentMs - toleranceMs && resetMs <= latestMs;
}
