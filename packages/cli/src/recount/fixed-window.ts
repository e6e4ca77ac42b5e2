import type { FixedWindowPolicy } from '@tollgate/contracts';
import { judgeNamedWindows } from './named-window.js';
import type { JudgedCharge, RecountRule } from './recount-rule.js';

/** Counts a fixed window again: `reset` names the window that a charge went into. */
export const fixedWindowRecount: RecountRule<FixedWindowPolicy> = {
  regime: ({ windowMs, alignment }) => `${windowMs} ${alignment}`,

  judge: (charges, toleranceMs) =>
    judgeNamedWindows(
      charges,
      (charge) => isPlausible(charge, toleranceMs),
      charges[0]?.policy.windowMs ?? 0,
    ),
};

function isPlausible(
  { policy, sentMs, receivedMs, resetMs }: JudgedCharge<FixedWindowPolicy>,
  toleranceMs: number,
): boolean {
  const { windowMs, alignment } = policy;
  const isAligned = alignment !== 'clock' || resetMs % windowMs === 0;
  return isAligned && resetMs > sentMs - toleranceMs && resetMs <= receivedMs + windowMs + toleranceMs;
}
