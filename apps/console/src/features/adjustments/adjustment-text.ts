import type { EffectKind } from '../../generated/graphql.js';
import { formatNumber } from '../../lib/number-format.js';

interface Effect {
  kind: EffectKind;
  units?: number | null;
  percent?: number | null;
  limit?: number | null;
}

/** An effect in a word: `+500`, `× 2`, `= 10,000`. */
export function effectText({ kind, units, percent, limit }: Effect): string {
  if (kind === 'ADD') return `+${formatNumber(units ?? 0)}`;
  if (kind === 'SET') return `= ${formatNumber(limit ?? 0)}`;
  return `× ${(percent ?? 100) / 100}`;
}
