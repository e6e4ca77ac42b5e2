import type { BulkActionKind, BulkActionStartInput, CarryOver, EffectKind } from '../../generated/graphql.js';
import { type EffectText, effectKinds, effectOf } from '../../lib/effect-text.js';
import { parseDuration } from '../../lib/rate.js';

export const BULK_KINDS = [
  'TIER_CHANGE',
  'BOOST',
  'OVERRIDE',
  'SUSPEND',
  'RESUME',
] as const satisfies BulkActionKind[];
export type BulkKind = (typeof BULK_KINDS)[number];

export interface BulkDraft {
  kind: BulkKind;
  tierKey: string | null;
  carryOver: CarryOver;
  apiKey: string | null;
  limit: string | null;
  effect: EffectText;
  lasts: string;
}

export const NEW_BULK: BulkDraft = {
  kind: 'TIER_CHANGE',
  tierKey: null,
  carryOver: 'KEEP',
  apiKey: null,
  limit: null,
  effect: { kind: 'MULTIPLY', amount: '2x' },
  lasts: '24 h',
};

/** Effect kinds allowed for an action and its limit; a boost cannot set a limit. */
export const bulkEffectKinds = ({ kind, limit }: Pick<BulkDraft, 'kind' | 'limit'>): EffectKind[] =>
  effectKinds(kind !== 'OVERRIDE', limit);

/** Changes a draft; an effect that is not allowed any more becomes a factor. */
export function changeBulk(draft: BulkDraft, part: Partial<BulkDraft>): BulkDraft {
  const next = { ...draft, ...part };
  const isPossible = bulkEffectKinds(next).includes(next.effect.kind);
  return isPossible ? next : { ...next, effect: NEW_BULK.effect };
}

/** The input of a draft; undefined while a field is invalid. */
export function bulkInputOf(draft: BulkDraft, nowMs: number): BulkActionStartInput | undefined {
  const { kind, tierKey, carryOver, apiKey } = draft;
  if (kind === 'SUSPEND' || kind === 'RESUME') return { kind };
  if (kind === 'TIER_CHANGE') return tierKey === null ? undefined : { kind, tierKey, carryOver };
  const effect = effectOf(draft.effect);
  const lasts = parseDuration(draft.lasts);
  if (!effect || !lasts.ok) return undefined;
  const endsAt = new Date(nowMs + lasts.value).toISOString();
  return { kind, adjustment: { apiKey, limit: draft.limit, effect, endsAt } };
}
