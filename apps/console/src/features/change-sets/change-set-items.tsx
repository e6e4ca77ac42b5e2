import { Button, Collapse, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyBlock } from '../../components/copy.js';
import { KeyText } from '../../components/marks.js';
import { EmptyText, Hint } from '../../components/page.js';
import { formatNumber } from '../../lib/number-format.js';
import type { ChangeSetDetail, DiffEntry } from './api.js';
import classes from './change-sets.module.css';

export type DiffField = DiffEntry['fields'][number];

interface DiffEntriesProps {
  entries: readonly DiffEntry[];
  /** Renders a field in another form, such as limits; undefined: not that kind of field. */
  renderField?: (field: DiffField) => ReactNode | undefined;
}

export function DiffEntries({ entries, renderField }: DiffEntriesProps) {
  if (entries.length === 0) {
    return <Hint>No changes.</Hint>;
  }
  return (
    <ul className={classes.entries}>
      {entries.map((entry, i) => (
        <li key={i} className={classes.entry}>
          <div className={classes.entryHead}>
            <span>{sentence(entry)}</span>
            <span className={classes.position}>{entry.item + 1}</span>
          </div>
          <dl className={classes.fields}>
            {entry.fields.map((field) => (
              <Field key={field.path} field={field} drawn={renderField?.(field)} />
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Field({ field, drawn }: { field: DiffField; drawn: ReactNode | undefined }) {
  const { path, before, after } = field;
  if (drawn !== undefined) return <div className={classes.drawn}>{drawn}</div>;
  return (
    <div className={classes.field}>
      <dt>{path === '' ? 'all' : path}</dt>
      <dd>
        {before != null && (
          <>
            <del>{show(before)}</del> →{' '}
          </>
        )}
        <ins>{after == null ? 'removed' : show(after)}</ins>
      </dd>
    </div>
  );
}

/** `tier.publish` of `Tier` as words, as in the audit trail. */
function sentence({ action, entity, tenantKey }: DiffEntry): string {
  const [, verb = action] = action.split('.');
  const words = verb.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `${tenantKey == null ? entity : `${entity} ${tenantKey}`}: ${words}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface ChangeSetItemsProps {
  items: ChangeSetDetail['items'];
  /** Left out while the set cannot be edited. */
  onRemove: ((itemId: string) => void) | undefined;
}

export function ChangeSetItems({ items, onRemove }: ChangeSetItemsProps) {
  if (items.length === 0) {
    return (
      <EmptyText>
        No changes yet. Edit a tier, an operation or a pool, and choose “Add to change set” in the review.
      </EmptyText>
    );
  }
  return (
    <ol className={classes.items}>
      {items.map((item, i) => (
        <Item key={item.id} item={item} number={i + 1} onRemove={onRemove} />
      ))}
    </ol>
  );
}

interface ItemProps {
  item: ChangeSetDetail['items'][number];
  number: number;
  onRemove: ChangeSetItemsProps['onRemove'];
}

function Item({ item, number, onRemove }: ItemProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className={classes.item}>
      <div className={classes.itemLine}>
        <span className={classes.itemNumber}>{number}</span>
        <KeyText>{item.command}</KeyText>
        <Text span size="sm" c="dimmed">
          {target(item.input)}
        </Text>
        <span className={classes.itemActions}>
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            Input
          </Button>
          {onRemove && (
            <Button
              variant="subtle"
              color="ember"
              size="compact-xs"
              aria-label={`Remove change ${formatNumber(number)}`}
              onClick={() => onRemove(item.id)}
            >
              Remove
            </Button>
          )}
        </span>
      </div>
      <Collapse expanded={open}>
        <div style={{ paddingTop: 8 }}>
          <CopyBlock text={JSON.stringify(item.input, null, 2)} label="Input" />
        </div>
      </Collapse>
    </li>
  );
}

/** The keys that the input of a change contains. */
function target(input: unknown): string {
  const { tierKey, apiKey, tenantKey, name } = (input ?? {}) as Record<string, unknown>;
  return [tenantKey, tierKey, apiKey, name].filter((part) => typeof part === 'string').join(' / ');
}
