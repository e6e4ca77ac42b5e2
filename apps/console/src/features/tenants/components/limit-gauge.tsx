import { Progress } from '@mantine/core';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone, formatTimeLeft } from '../../../lib/time-format.js';
import { useNow } from '../../../lib/use-now.js';
import classes from './tenants.module.css';

interface LimitGaugeProps {
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
  // Rounded, because it is read out as it stands.
  const percent = whole === 0 ? 0 : Math.round((used / whole) * 1_000) / 10;
  const leftMs = new Date(resetAt).getTime() - now;
  return (
    <div>
      <div className={classes.gaugeNumbers}>
        <span>
          <strong>{formatNumber(used)}</strong> {atSameTime ? 'in use' : 'used'}
        </span>
        <span>{formatNumber(remaining)} left</span>
      </div>
      <Progress
        value={percent}
        color={percent >= 100 ? 'ember' : percent >= 80 ? 'ochre.4' : 'gate'}
        size={6}
        my={5}
        transitionDuration={200}
        aria-label={`Used of ${label}`}
      />
      <div className={classes.gaugeNumbers}>
        <span>
          {used === 0 || leftMs <= 0
            ? `nothing ${atSameTime ? 'in use' : 'used'}`
            : `${atSameTime ? 'free' : 'resets'} in ${formatTimeLeft(leftMs)} (${formatInZone(resetAt, timeZone)})`}
        </span>
      </div>
    </div>
  );
}
