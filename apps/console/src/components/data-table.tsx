import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page.module.css';
import { ScrollSideways } from './scroll-sideways.js';

interface DataTableProps {
  /** Read out in place of a visible heading. */
  label: string;
  columns: ReadonlyArray<{ name: string; numeric?: boolean; hidden?: boolean }>;
  children: ReactNode;
}

/** A plain table that scrolls sideways within its panel when the screen is narrow. */
export function DataTable({ label, columns, children }: DataTableProps) {
  return (
    <ScrollSideways>
      <table className={classes.table} aria-label={label}>
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

/** A cell whose digits line up on the right. */
export function NumericCell({ children }: { children: ReactNode }) {
  return <td className={classes.numeric}>{children}</td>;
}
