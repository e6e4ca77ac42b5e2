import type { ClipboardEvent, KeyboardEvent } from 'react';
import { useId } from 'react';
import type { StoredLimit } from '../../../lib/limit-fields.js';
import { ruleOf } from '../../../lib/limit-fields.js';
import { describePer, describeRule, describeTerms } from '../../../lib/limit-text.js';
import { formatAmount } from '../../../lib/rate.js';
import { type RowShape, readBlock, readCell } from '../matrix-edits.js';
import classes from './tiers.module.css';

interface MatrixCellProps {
  row: RowShape;
  stored: StoredLimit | undefined;
  /** What was typed here; undefined: nothing. */
  text: string | undefined;
  editable: boolean;
  label: string;
  onType: (text: string) => void;
  onPaste: (block: string[][]) => void;
}

/** One limit of one tier, to be typed over in place. */
export function MatrixCell({ row, stored, text, editable, label, onType, onPaste }: MatrixCellProps) {
  const noteId = useId();
  const written = stored ? formatAmount(ruleOf(stored.policy)) : '';
  const { policy, problem } = readCell(text, stored?.policy, row);
  const changed = text !== undefined && text !== written;
  const note =
    problem ??
    (policy
      ? [describePer(policy.per), describeRule(ruleOf(policy)), ...describeTerms(policy)].join(' · ')
      : undefined);
  const paste = (event: ClipboardEvent) => {
    const block = readBlock(event.clipboardData.getData('text/plain'));
    if (!block) return;
    event.preventDefault();
    onPaste(block);
  };
  return (
    <td data-changed={changed || undefined} title={changed ? undefined : stored?.summary}>
      {editable ? (
        <input
          className={classes.cellInput}
          aria-label={label}
          aria-invalid={problem !== undefined}
          {...(note ? { 'aria-describedby': noteId } : {})}
          data-cell
          placeholder="no limit"
          value={text ?? written}
          onChange={(event) => onType(event.currentTarget.value)}
          onPaste={paste}
          onKeyDown={moveByKeys}
          spellCheck={false}
          autoComplete="off"
        />
      ) : (
        <span className={classes.cellText}>{written || 'no limit'}</span>
      )}
      {note && (
        <span id={noteId} className={problem ? classes.cellProblem : classes.small}>
          {stored?.origin === 'DEFAULT' ? `${note} · API default` : note}
        </span>
      )}
    </td>
  );
}

/** Up, down and Enter go to the cell above or below, as in a spreadsheet. */
function moveByKeys(event: KeyboardEvent<HTMLInputElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1, Enter: event.shiftKey ? -1 : 1 }[event.key];
  if (step === undefined) return;
  const cell = event.currentTarget.closest('td');
  const rows = [...(cell?.closest('table')?.querySelectorAll('tbody tr') ?? [])];
  const column = cell?.cellIndex ?? 0;
  let at = rows.indexOf(cell?.closest('tr') as Element) + step;
  for (; at >= 0 && at < rows.length; at += step) {
    const input = (rows[at] as HTMLTableRowElement).cells[column]?.querySelector<HTMLInputElement>(
      '[data-cell]',
    );
    if (!input) continue;
    event.preventDefault();
    input.focus();
    input.select();
    return;
  }
}
