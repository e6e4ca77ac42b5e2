import { Badge, Text } from '@mantine/core';
import { IconArrowDown, IconArrowsUpDown, IconArrowUp, IconEqual } from '@tabler/icons-react';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import type { ReactNode } from 'react';
import { differencesOf, type FieldDifference, limitChangesOf } from '../lib/differences.js';
import { type Effect, identityOf, type LimitChange } from '../lib/limit-diff.js';
import classes from './differences.module.css';

const LOOKS = {
  increased: { color: 'gate', text: 'Increased', Icon: IconArrowUp },
  decreased: { color: 'ember', text: 'Decreased', Icon: IconArrowDown },
  mixed: { color: 'ochre', text: 'Mixed', Icon: IconArrowsUpDown },
  neutral: { color: 'gray', text: 'Unchanged', Icon: IconEqual },
} as const;

export function EffectBadge({ effect }: { effect: Effect }) {
  const { color, text, Icon } = LOOKS[effect];
  return (
    <Badge color={color} leftSection={<Icon size={11} stroke={2.4} aria-hidden />}>
      {text}
    </Badge>
  );
}

type ShownChange = Pick<LimitChange, 'api' | 'name' | 'effect'> &
  Partial<Pick<LimitChange, 'kind' | 'before' | 'after'>> & { fields: readonly FieldDifference[] };

/** Changes of limits: each changed field with its value before and after, and the effect on callers. */
export function ChangeList({ changes }: { changes: readonly ShownChange[] }) {
  return (
    <ul className={`tg-list ${classes.list}`}>
      {changes.map((change) => (
        <li key={identityOf(change)} className={classes.change}>
          <div className={classes.head}>
            <span className={classes.name}>
              {change.name} <span className="tg-soft">{change.api}</span>
            </span>
            <EffectBadge effect={change.effect} />
          </div>
          {change.fields.map((field) => (
            <Row key={field.label} {...field} />
          ))}
          {change.kind !== undefined && change.kind !== 'changed' && <Whole change={change} />}
        </li>
      ))}
    </ul>
  );
}

function Whole({ change: { kind, before, after } }: { change: ShownChange }) {
  const limit = after ?? before;
  const text = limit && summarizeLimit(limit);
  return kind === 'added' ? (
    <Row label="New" before={undefined} after={text} />
  ) : (
    <Row label="Removed" before={text} after={undefined} />
  );
}

function Row({ label, before, after }: FieldDifference) {
  return (
    <div className={classes.row}>
      <span className={classes.field}>{label}</span>
      <span>
        {before !== undefined && <del>{before}</del>}
        {before !== undefined && after !== undefined && <span aria-hidden> → </span>}
        {after !== undefined && <ins>{after}</ins>}
      </span>
    </div>
  );
}

/** Fields with their values before and after. */
export function FieldRows({ rows }: { rows: readonly FieldDifference[] }) {
  if (rows.length === 0) return null;
  return (
    <div className={classes.rows}>
      {rows.map((row) => (
        <Row key={row.label} {...row} />
      ))}
    </div>
  );
}

interface DifferencesProps {
  before: unknown;
  after: unknown;
  /** Shown without differences. */
  empty?: ReactNode;
}

/** All differences between two records of an object, such as those of an audit entry. */
export function Differences({ before, after, empty = 'No values changed.' }: DifferencesProps) {
  const limits = limitChangesOf(before, after);
  const rows = differencesOf(before, after);
  if (rows.length === 0 && !limits?.length) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  }
  return (
    <>
      {limits && limits.length > 0 && <ChangeList changes={limits} />}
      <FieldRows rows={rows} />
    </>
  );
}
