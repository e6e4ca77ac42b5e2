import type { ReactNode } from 'react';
import classes from './figures.module.css';

/** A row of numbers that matter, above what they are made of. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className={classes.figures}>{children}</dl>;
}

interface FigureProps {
  label: ReactNode;
  value: ReactNode;
  /** Behind the value, smaller. */
  unit?: string | undefined;
  /** Below the value. */
  note?: ReactNode;
}

/** One number with its name. */
export function Figure({ label, value, unit, note }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>
        {value}
        {unit && <span className={classes.unit}>{unit}</span>}
        {note && <div className={classes.note}>{note}</div>}
      </dd>
    </div>
  );
}
