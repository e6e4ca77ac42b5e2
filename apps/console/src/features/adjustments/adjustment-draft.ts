import type { AdjustmentEffectInput, EffectKind } from '../../generated/graphql.js';
import { type Parsed, parseCount, parseDuration } from '../../lib/rate.js';

/** What is being made: an exception by an operator, or something given. */
export type AdjustmentMaking = 'override' | 'boost' | 'grant';

/** An adjustment as it is typed. */
export interface AdjustmentDraft {
  apiKey: string | null;
  limit: string | null;
  kind: EffectKind;
  amount: string;
  lasts: string;
  reason: string;
  label: string;
  source: 'UPGRADE' | 'TOPUP';
}

/** Where a draft begins, so that its end is filled in: what is forgotten does not stay for ever. */
export function newDraft(making: AdjustmentMaking, target: Partial<AdjustmentDraft> = {}): AdjustmentDraft {
  return {
    ...{
      apiKey: null,
      limit: null,
      amount: making === 'boost' ? '2x' : '',
      reason: '',
      label: '',
      source: 'TOPUP',
    },
    kind: making === 'boost' ? 'MULTIPLY' : making === 'grant' ? 'ADD' : target.limit ? 'SET' : 'MULTIPLY',
    lasts: making === 'boost' ? '24 h' : '30 d',
    ...target,
  };
}

/** What an effect may be where; a number takes the place of one limit's only. */
export function kindsFor(making: AdjustmentMaking, draft: AdjustmentDraft): EffectKind[] {
  return making === 'override' && draft.limit !== null ? ['SET', 'ADD', 'MULTIPLY'] : ['ADD', 'MULTIPLY'];
}

/** `2x`, `1.5x`, `150 %`, `150`. A factor is read exactly: at most two decimals. */
export function parseFactor(text: string): Parsed<number> {
  const factor = /^(\d+)(?:\.(\d{1,2}))?\s*[x×]$/i.exec(text.trim());
  if (factor) return { ok: true, value: Number(factor[1]) * 100 + Number((factor[2] ?? '').padEnd(2, '0')) };
  return parseCount(text.replace(/\s*%\s*$/, ''));
}

/** The effect of a draft; undefined while it cannot be read. */
export function effectOf({ kind, amount }: AdjustmentDraft): AdjustmentEffectInput | undefined {
  const read = kind === 'MULTIPLY' ? parseFactor(amount) : parseCount(amount);
  if (!read.ok || read.value < 1) return undefined;
  if (kind === 'ADD') return { kind, units: read.value };
  return kind === 'SET' ? { kind, limit: read.value } : { kind, percent: read.value };
}

/** When it ends, from now on; null: by itself never; undefined while it cannot be read. */
export function endOf({ lasts }: AdjustmentDraft, nowMs: number): Date | null | undefined {
  if (lasts.trim() === '') return null;
  const read = parseDuration(lasts);
  return read.ok ? new Date(nowMs + read.value) : undefined;
}
