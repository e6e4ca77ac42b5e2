/** Rules for used quota when a limit changes. */
export const CARRY_OVERS = ['keep', 'reset', 'proportional', 'additive'] as const;

export type CarryOver = (typeof CARRY_OVERS)[number];

/** Maximum usage after a change; leaves room to count exactly above it. */
const MAX_CARRIED = 2 ** 52;

/**
 * Usage after a change of a limit: `keep` unchanged; `reset` 0; `proportional` usage × new limit ÷ old, rounded up;
 * `additive` at most the old limit, so that what is added is free. All are integers of one unit; `from` is 1 or more.
 */
export function carriedOver(used: number, from: number, to: number, rule: CarryOver): number {
  switch (rule) {
    case 'keep':
      return used;
    case 'reset':
      return 0;
    case 'proportional':
      return Math.min(MAX_CARRIED, Math.ceil((used * to) / from));
    case 'additive':
      return Math.min(used, from);
  }
}
