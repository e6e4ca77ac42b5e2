import type { AdjustmentEffectInput, EffectKind } from '../generated/graphql.js';
import { type Parsed, parseCount } from './rate.js';

/** An effect on limits as it is typed. */
export interface EffectText {
  kind: EffectKind;
  amount: string;
}

/** `2x`, `1.5x`, `150 %`, `150`: of a hundred. A factor is read exactly: at most two decimals. */
export function parseFactor(text: string): Parsed<number> {
  const factor = /^(\d+)(?:\.(\d{1,2}))?\s*[x×]$/i.exec(text.trim());
  if (factor) return { ok: true, value: Number(factor[1]) * 100 + Number((factor[2] ?? '').padEnd(2, '0')) };
  return parseCount(text.replace(/\s*%\s*$/, ''));
}

/** The effect that is typed; undefined while it cannot be read. */
export function effectOf({ kind, amount }: EffectText): AdjustmentEffectInput | undefined {
  const read = kind === 'MULTIPLY' ? parseFactor(amount) : parseCount(amount);
  if (!read.ok || read.value < 1) return undefined;
  if (kind === 'ADD') return { kind, units: read.value };
  return kind === 'SET' ? { kind, limit: read.value } : { kind, percent: read.value };
}

/** What an effect may be: a number takes the place of one limit's only, and of a boost's never. */
export function effectKinds(isBoundless: boolean, limit: string | null): EffectKind[] {
  return !isBoundless && limit !== null ? ['SET', 'ADD', 'MULTIPLY'] : ['ADD', 'MULTIPLY'];
}
