import type { BulkActionKind, BulkActionStartInput, CarryOver } from '../../generated/graphql.js';
import { type Parsed, parseCount, parseDuration } from '../../lib/rate.js';

/** What can be done to many tenants at once. */
export const BULK_KINDS = [
  'TIER_CHANGE',
  'BOOST',
  'OVERRIDE',
  'SUSPEND',
  'RESUME',
] as const satisfies BulkActionKind[];
export type BulkKind = (typeof BULK_KINDS)[number];

/** An action as it is typed. */
export interface BulkDraft {
  kind: BulkKind;
  tierKey: string | null;
  carryOver: CarryOver;
  apiKey: string | null;
  factor: string;
  lasts: string;
  reason: string;
}

export const NEW_BULK: BulkDraft = {
  kind: 'TIER_CHANGE',
  tierKey: null,
  carryOver: 'KEEP',
  apiKey: null,
  factor: '2x',
  lasts: '24 h',
  reason: '',
};

/** `2x`, `1.5x`, `150 %`: of a hundred. */
export function parsePercentOf(text: string): Parsed<number> {
  const factor = /^(\d+)(?:\.(\d{1,2}))?\s*[x×]$/i.exec(text.trim());
  if (factor) return { ok: true, value: Number(factor[1]) * 100 + Number((factor[2] ?? '').padEnd(2, '0')) };
  return parseCount(text.replace(/\s*%\s*$/, ''));
}

/** What a draft asks for; undefined while a field of it cannot be read. */
export function bulkInputOf(
  draft: BulkDraft,
  nowMs: number,
): Omit<BulkActionStartInput, 'reason'> | undefined {
  const { kind, tierKey, carryOver, apiKey } = draft;
  if (kind === 'SUSPEND' || kind === 'RESUME') return { kind };
  if (kind === 'TIER_CHANGE') return tierKey === null ? undefined : { kind, tierKey, carryOver };
  const percent = parsePercentOf(draft.factor);
  const lasts = parseDuration(draft.lasts);
  if (!percent.ok || !lasts.ok) return undefined;
  const endsAt = new Date(nowMs + lasts.value).toISOString();
  return { kind, adjustment: { apiKey, effect: { kind: 'MULTIPLY', percent: percent.value }, endsAt } };
}
