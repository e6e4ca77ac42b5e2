import type { FixedWindowPolicy } from '@tollgate/contracts';
import type { JudgedCharge, RecountRule } from './recount-rule.js';

type WindowCharge = JudgedCharge<FixedWindowPolicy>;

/**
 * Counts a fixed window again: `reset` names the window that a charge went into, and the charges of one window may
 * not be more than its limit. A limit that changed keeps what is used, so each admission is held to its own limit.
 */
export const fixedWindowRecount: RecountRule<FixedWindowPolicy> = {
  regime: ({ windowMs, alignment }) => `${windowMs} ${alignment}`,

  judge(charges, toleranceMs) {
    const windows = new Map<number, WindowCharge[]>();
    let contradictions = 0;
    for (const charge of charges) {
      if (!isPlausible(charge, toleranceMs)) contradictions++;
      const window = windows.get(charge.resetMs);
      if (window === undefined) windows.set(charge.resetMs, [charge]);
      else window.push(charge);
    }
    contradictions += countOverlaps(charges, [...windows.keys()]);
    let overAdmitted = 0;
    let finding: string | undefined;
    for (const [endMs, window] of windows) {
      const over = countOver(window);
      if (over > 0) finding ??= describe(endMs, window);
      overAdmitted += over;
    }
    return { overAdmitted, contradictions, finding };
  },
};

/** Whether the window named by the answer can have been open while the request was under way. */
function isPlausible({ policy, sentMs, receivedMs, resetMs }: WindowCharge, toleranceMs: number): boolean {
  const { windowMs, alignment } = policy;
  const isAligned = alignment !== 'clock' || resetMs % windowMs === 0;
  return isAligned && resetMs > sentMs - toleranceMs && resetMs <= receivedMs + windowMs + toleranceMs;
}

/** Windows of one counter that begin before the one before has ended: a counter that was forgotten too early. */
function countOverlaps(charges: readonly WindowCharge[], endsMs: number[]): number {
  const windowMs = charges[0]?.policy.windowMs ?? 0;
  endsMs.sort((a, b) => a - b);
  return endsMs.filter((endMs, i) => i > 0 && endMs - (endsMs[i - 1] as number) < windowMs).length;
}

/** The cost in one window that its limit had no room for. */
function countOver(window: readonly WindowCharge[]): number {
  const largestLimit = window.reduce((most, { policy }) => Math.max(most, policy.limit), 0);
  return Math.max(sumCosts(window) - largestLimit, countOverLowered(window), 0);
}

/** Admissions under a lowered limit that found it used up by what had been answered before they were sent. */
function countOverLowered(window: readonly WindowCharge[]): number {
  const byAnswer = [...window].sort((a, b) => a.receivedMs - b.receivedMs)[Symbol.iterator]();
  let earlier = byAnswer.next();
  let used = 0;
  let over = 0;
  for (const { sentMs, cost, policy } of [...window].sort((a, b) => a.sentMs - b.sentMs)) {
    while (!earlier.done && earlier.value.receivedMs < sentMs) {
      used += earlier.value.cost;
      earlier = byAnswer.next();
    }
    over += Math.min(cost, Math.max(0, used + cost - policy.limit));
  }
  return over;
}

function describe(endMs: number, window: readonly WindowCharge[]): string {
  const limits = [...new Set(window.map(({ policy }) => policy.limit))].join(', then ');
  const end = new Date(endMs).toISOString();
  return `${sumCosts(window)} admitted in the window that ends at ${end}; the limit is ${limits}`;
}

function sumCosts(charges: readonly WindowCharge[]): number {
  return charges.reduce((sum, { cost }) => sum + cost, 0);
}
