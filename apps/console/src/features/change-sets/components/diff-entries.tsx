import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DiffEntry } from '../api/change-set.js';
import classes from './change-sets.module.css';

export type DiffField = DiffEntry['fields'][number];

interface DiffEntriesProps {
  entries: readonly DiffEntry[];
  /** Draws what is better told in other words, such as limits; undefined: it is not of that kind. */
  renderField?: (field: DiffField) => ReactNode | undefined;
}

/** The objects that a change set changes, field by field. */
export function DiffEntries({ entries, renderField }: DiffEntriesProps) {
  if (entries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No changes.
      </Text>
    );
  }
  return (
    <ul className={classes.entries}>
      {entries.map((entry, i) => (
        <li key={i} className={classes.entry}>
          <div className={classes.entryHead}>
            <span>{sentence(entry)}</span>
            <span className={classes.place}>{entry.item + 1}</span>
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
        {before !== null && before !== undefined && <del>{show(before)}</del>}
        {before !== null && before !== undefined && ' → '}
        <ins>{after === null || after === undefined ? 'removed' : show(after)}</ins>
      </dd>
    </div>
  );
}

/** `tier.publish` of `Tier`: what the audit trail names, as words. */
function sentence({ action, entity, tenantKey }: DiffEntry): string {
  const [, verb = action] = action.split('.');
  const words = verb.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const what = tenantKey === null || tenantKey === undefined ? entity : `${entity} ${tenantKey}`;
  return `${what}: ${words}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
