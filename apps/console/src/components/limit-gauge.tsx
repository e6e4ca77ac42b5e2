import { formatNumber } from '../lib/number-format.js';
import { formatInZone, formatTimeLeft } from '../lib/time-format.js';
import { useNow } from '../lib/use-now.js';
import { FillBar } from './fill-bar.js';
import classes from './limit-gauge.module.css';

interface LimitGaugeProps {
  /** What the bar is called for those who hear it. */
  label: string;
  used: number;
  remaining: number;
  resetAt: string;
  /** What is used is in use: each unit comes back when its request ends. */
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
