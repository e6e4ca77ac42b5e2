import type { ReactNode } from 'react';
import classes from './state-dot.module.css';

export type DotTone = 'good' | 'warn' | 'bad' | 'quiet';

/** A coloured dot with its meaning in words beside it; colour alone never carries it. */
export function StateDot({
  tone,
  pulse = false,
  children,
}: {
  tone: DotTone;
  pulse?: boolean;
  children: ReactNode;
}) {
  return (
    <span className={classes.state}>
      <span className={classes.dot} data-tone={tone} data-pulse={pulse || undefined} aria-hidden="true" />
      {children}
    </span>
  );
}
