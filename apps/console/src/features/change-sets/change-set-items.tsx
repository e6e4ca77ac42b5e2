import { Button, Collapse, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyBlock } from '../../components/copy.js';
import { Differences, FieldRows } from '../../components/differences.js';
import { EmptyText, Problem } from '../../components/page.js';
import { describeCommand, describeInput, targetOf } from '../../lib/differences.js';
import type { ChangeSetDetail, DiffEntry } from './api.js';
import classes from './change-sets.module.css';

type Item = ChangeSetDetail['items'][number];

interface ChangeSetItemsProps {
  set: ChangeSetDetail;
  /** Omitted while the set cannot be edited. */
  onRemove: ((itemId: string) => void) | undefined;
}

/** The changes of a set, each with its effect now, or the recorded one. */
export function ChangeSetItems({ set: { items, diff }, onRemove }: ChangeSetItemsProps) {
  if (items.length === 0) {
    return (
      <EmptyText>
        No changes yet. Edit a tier, an operation or a pool, and choose “Add to change set” in the review.
      </EmptyText>
    );
  }
  return (
    <ol className={classes.items}>
      {items.map((item, index) => (
        <ItemRow
          key={item.id}
          item={item}
          number={index + 1}
          entries={lastOfEach(diff.entries.filter((entry) => entry.item === index))}
          errors={diff.errors.filter(({ field }) => field?.[0] === 'items' && field[1] === String(index))}
          onRemove={onRemove}
        />
      ))}
    </ol>
  );
}

/** The last entry of each object: publishing limits also saves a draft of them. */
function lastOfEach(entries: readonly DiffEntry[]): DiffEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.entity} ${entry.entityId}`, entry])).values()];
}

interface ItemRowProps {
  item: Item;
  number: number;
  entries: readonly DiffEntry[];
  errors: ChangeSetDetail['diff']['errors'];
  onRemove: ChangeSetItemsProps['onRemove'];
}

/** Identifies an item on the page, to link errors to it. */
export const itemAnchor = (number: number): string => `change-${number}`;

function ItemRow({ item, number, entries, errors, onRemove }: ItemRowProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className={classes.item} id={itemAnchor(number)} tabIndex={-1}>
      <div className={classes.itemLine}>
        <span className={classes.itemNumber}>{number}</span>
        <Text span inherit fw={500}>
          {describeCommand(item.command)}
        </Text>
        <span className="tg-soft">{targetOf(item.input)}</span>
        <span className={classes.itemActions}>
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            JSON
          </Button>
          {onRemove && (
            <Button
              variant="subtle"
              color="ember"
              size="compact-xs"
              aria-label={`Remove change ${number}`}
              onClick={() => onRemove(item.id)}
            >
              Remove
            </Button>
          )}
        </span>
      </div>
      <div className={classes.itemBody}>
        <Problem>{errors.map(({ message }) => message).join(' ')}</Problem>
        {entries.length === 0 && <FieldRows rows={describeInput(item.input)} />}
        {entries.map((entry, i) => (
          <Differences key={i} before={sideOf(entry, 'before')} after={sideOf(entry, 'after')} />
        ))}
      </div>
      <Collapse expanded={open}>
        <CopyBlock text={JSON.stringify(item.input, null, 2)} label="Input" />
      </Collapse>
    </li>
  );
}

/** The changed fields of an entry as a record. */
function sideOf({ fields }: DiffEntry, side: 'before' | 'after'): unknown {
  const record: Record<string, unknown> = {};
  for (const { path, [side]: value } of fields) {
    if (path === '') return value;
    const names = path.split('.');
    const last = names.pop() as string;
    const part = names.reduce<Record<string, unknown>>((parent, name) => {
      parent[name] ??= {};
      return parent[name] as Record<string, unknown>;
    }, record);
    part[last] = value;
  }
  return record;
}
