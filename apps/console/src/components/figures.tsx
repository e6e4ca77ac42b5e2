import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../lib/number-format.js';
import { formatAgo, formatInZone, formatMoment, formatTimeLeft, useNow } from '../lib/time-format.js';
import classes from './figures.module.css';

/** A row of key figures. */
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
  /** How full it is: 0 to 1; more counts as full. */
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

interface LimitGaugeProps {
  /** Accessible name. */
  label: string;
  used: number;
  remaining: number;
  resetAt: string;
  /** Concurrency: units return when a request ends. */
  atSameTime: boolean;
  timeZone: string;
}

/** How much of a limit is used now, and when it is whole again: in the tenant's zone, which is said. */
export function LimitGauge({ label, used, remaining, resetAt, atSameTime, timeZone }: LimitGaugeProps) {
  const now = useNow();
  const whole = used + remaining;
  const leftMs = new Date(resetAt).getTime() - now;
  return (
    <div>
      <div className={classes.numbers}>
        <span>
          <strong>{formatNumber(used)}</strong> {atSameTime ? 'in use' : 'used'}
        </span>
        <span>{formatNumber(remaining)} left</span>
      </div>
      <FillBar label={label} share={whole === 0 ? 0 : used / whole} />
      <div className={classes.numbers}>
        <span>
          {used === 0 || leftMs <= 0
            ? atSameTime
              ? 'nothing in use'
              : 'nothing used'
            : `${atSameTime ? 'available' : 'resets'} in ${formatTimeLeft(leftMs)} (${formatInZone(resetAt, timeZone)})`}
        </span>
      </div>
    </div>
  );
}
