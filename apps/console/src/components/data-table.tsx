import { Group, VisuallyHidden } from '@mantine/core';
import { type ComponentProps, type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './data-table.module.css';
import { EmptyText, QueryFallback } from './page.js';

/** Scrolls wide content horizontally; focusable only while it overflows. */
export function ScrollSideways({ children }: { children: ReactNode }) {
  const host = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const measure = new ResizeObserver(() => setOverflows(element.scrollWidth > element.clientWidth));
    measure.observe(element);
    if (element.firstElementChild) measure.observe(element.firstElementChild);
    return () => measure.disconnect();
  }, []);
  return (
    <div ref={host} className={classes.scroll} {...(overflows ? { tabIndex: 0 } : {})}>
      {children}
    </div>
  );
}

interface Column {
  name: string;
  numeric?: boolean;
  /** Its name is for screen readers only. */
  hidden?: boolean;
}

interface DataTableProps {
  /** Accessible name. */
  label: string;
  columns: ReadonlyArray<string | Column>;
  /** Stays a table on narrow screens. */
  short?: boolean;
  children: ReactNode;
}

/**
 * A table. On a phone each row becomes a block with the first cell as heading and column names as labels;
 * a `short` table stays a table and scrolls horizontally.
 */
export function DataTable({ label, columns: named, short = false, children }: DataTableProps) {
  const columns = named.map((column): Column => (typeof column === 'string' ? { name: column } : column));
  return (
    <ScrollSideways>
      <table
        className={short ? classes.table : `${classes.table} ${classes.stacked}`}
        aria-label={label}
        style={columnNames(columns)}
      >
        <thead>
          <tr>
            {columns.map(({ name, numeric, hidden }) => (
              <th key={name} scope="col" className={numeric ? classes.numeric : undefined}>
                {hidden ? <VisuallyHidden>{name}</VisuallyHidden> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollSideways>
  );
}

interface QueryTableProps<T> extends Omit<DataTableProps, 'children'> {
  query: ComponentProps<typeof QueryFallback>['query'];
  list: readonly T[] | undefined;
  /** Rows to expect. */
  rows: number;
  /** Shown in place of an empty table. */
  empty: ReactNode;
  children: (item: T) => ReactNode;
}

/** The table of a list that a query loads. */
export function QueryTable<T>({ query, list, rows, empty, children, ...table }: QueryTableProps<T>) {
  if (list === undefined) return <QueryFallback query={query} rows={rows} />;
  if (list.length > 0) return <DataTable {...table}>{list.map(children)}</DataTable>;
  return typeof empty === 'string' ? <EmptyText>{empty}</EmptyText> : empty;
}

/** A column of numbers, aligned on the right. */
export const numeric = (name: string): Column => ({ name, numeric: true });

/** A column whose name is for screen readers only. */
export const hidden = (name: string): Column => ({ name, hidden: true });

/** A cell whose digits line up on the right. */
export function NumericCell({ children }: { children: ReactNode }) {
  return <td className={classes.numeric}>{children}</td>;
}

/** The buttons of a row, at its right edge; on phones below the other cells. */
export function ActionsCell({ children }: { children: ReactNode }) {
  return (
    <td>
      {children && (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {children}
        </Group>
      )}
    </td>
  );
}

/** Column names for the style sheet's cell labels: `--column-2: "Status"`. */
function columnNames(columns: readonly Column[]): CSSProperties {
  return Object.fromEntries(
    columns.map(({ name, hidden }, index) => [`--column-${index + 1}`, hidden ? '""' : JSON.stringify(name)]),
  );
}
