import type { LimitPolicy } from '@tollgate/contracts';
import { ruleOf, withRule } from '../../lib/limit-fields.js';
import { readAmount } from '../../lib/rate.js';
import { identityOf } from './limit-diff.js';

/** A place in the matrix: one limit of one tier. */
export interface CellPlace {
  tierKey: string;
  api: string;
  name: string;
}

/** What was typed into cells that differ from what is stored, by {@link cellKey}. An empty text takes the limit away. */
export type MatrixEdits = ReadonlyMap<string, string>;

export const cellKey = ({ tierKey, api, name }: CellPlace): string => `${tierKey} ${api} ${name}`;

/** How a row's limit begins where a tier has none yet. */
export type RowShape = Pick<LimitPolicy, 'api' | 'name' | 'operations' | 'per'>;

export interface CellReading {
  /** Undefined: the tier has no such limit, or it is to be taken away. */
  policy: LimitPolicy | undefined;
  /** Why the text cannot be read, and what to type. */
  problem: string | undefined;
}

/** What a cell would hold. @param text undefined: nobody typed there */
export function readCell(
  text: string | undefined,
  stored: LimitPolicy | undefined,
  row: RowShape,
): CellReading {
  if (text === undefined) return { policy: stored, problem: undefined };
  if (text.trim() === '') return { policy: undefined, problem: undefined };
  const read = readAmount(text, stored && ruleOf(stored));
  if (!read.ok) return { policy: stored, problem: read.message };
  const { api, name, operations, per } = row;
  const base = stored ?? { api, name, operations, per, onUnavailable: 'share', ...read.value };
  return { policy: withRule(base as LimitPolicy, read.value), problem: undefined };
}

/** A tier's own limits with what was typed into its cells; undefined where something cannot be read. */
export function applyEdits(
  tierKey: string,
  own: readonly LimitPolicy[],
  edits: MatrixEdits,
  rows: readonly RowShape[],
): LimitPolicy[] | undefined {
  const limits: LimitPolicy[] = [];
  const present = new Map(own.map((limit) => [identityOf(limit), limit]));
  for (const limit of own) {
    const { policy, problem } = readCell(textOf(edits, tierKey, limit), limit, limit);
    if (problem !== undefined) return undefined;
    if (policy) limits.push(policy);
  }
  for (const row of rows) {
    if (present.has(identityOf(row))) continue;
    const { policy, problem } = readCell(textOf(edits, tierKey, row), undefined, row);
    if (problem !== undefined) return undefined;
    if (policy) limits.push(policy);
  }
  return limits;
}

const textOf = (edits: MatrixEdits, tierKey: string, { api, name }: Pick<LimitPolicy, 'api' | 'name'>) =>
  edits.get(cellKey({ tierKey, api, name }));

/** Cells of a pasted block: rows by lines, columns by tabs. Undefined for what is a single value. */
export function readBlock(text: string): string[][] | undefined {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  const block = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
  return block.length === 1 && block[0]?.length === 1 ? undefined : block;
}
