import type { EffectKind } from '../../generated/graphql.js';
import { type EffectText, effectKinds } from '../../lib/effect-text.js';
import { formatNumber } from '../../lib/number-format.js';
import { parseDuration } from '../../lib/rate.js';

export type AdjustmentMaking = 'override' | 'boost' | 'grant';

export interface AdjustmentDraft extends EffectText {
  apiKey: string | null;
  limit: string | null;
  lasts: string;
  label: string;
  source: 'UPGRADE' | 'TOPUP';
}

/** A new draft; boosts get a default duration, so that none stays forever by accident. */
export function newDraft(making: AdjustmentMaking, target: Partial<AdjustmentDraft> = {}): AdjustmentDraft {
  return {
    ...{
      apiKey: null,
      limit: null,
      amount: making === 'boost' ? '2x' : '',
      label: '',
      source: 'TOPUP',
    },
    kind: making === 'boost' ? 'MULTIPLY' : making === 'grant' ? 'ADD' : target.limit ? 'SET' : 'MULTIPLY',
    lasts: making === 'boost' ? '24 h' : '30 d',
    ...target,
  };
}

/** Effect kinds allowed for the target; `SET` requires one limit. */
export function kindsFor(making: AdjustmentMaking, draft: AdjustmentDraft): EffectKind[] {
  return effectKinds(making !== 'override', draft.limit);
}

/** End as ISO time; null: no end; undefined: not a valid duration. */
export function endOf({ lasts }: Pick<AdjustmentDraft, 'lasts'>, nowMs: number): Date | null | undefined {
  if (lasts.trim() === '') return null;
  const read = parseDuration(lasts);
  return read.ok ? new Date(nowMs + read.value) : undefined;
}

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
