import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatAgo, formatMoment } from '../lib/time-format.js';
import classes from './figures.module.css';

export function Figures({ children }: { children: ReactNode }) {
  return <dl className={classes.figures}>{children}</dl>;
}

interface FigureProps {
  label: ReactNode;
  value: ReactNode;
  unit?: string | undefined;
  note?: ReactNode;
}

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

/** A label with the color of its series. */
export function Swatched({ color, children }: { color: string; children: ReactNode }) {
  return (
    <span className={classes.swatched}>
      <span className={classes.swatch} style={{ background: color }} />
      {children}
    </span>
  );
}

/** A moment as `3 minutes ago`, with its date and time on hover. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatMoment(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatAgo(at)}
    </time>
  );
}

interface FillBarProps {
  /** Accessible name. */
  label: string;
  /** 0 to 1; more is shown as full. */
  share: number;
}

/** A progress bar that changes color at 80 % and 100 %, the default alert thresholds. */
export function FillBar({ label, share }: FillBarProps) {
  // Rounded, because it is read out as it stands.
  const percent = Math.min(100, Math.round(share * 1_000) / 10);
  return (
    <Progress
      value={percent}
      color={percent >= 100 ? 'ember' : percent >= 80 ? 'ochre.4' : 'gate'}
      size={6}
      my={5}
      transitionDuration={200}
      aria-label={label}
    />
  );
}

/** A row of numbers around a bar. */
export function Numbers({ children }: { children: ReactNode }) {
  return <div className={classes.numbers}>{children}</div>;
}
