import type { LimitPolicy } from '@tollgate/contracts';
import { useId } from 'react';
import { ruleOf } from '../../../lib/limit-fields.js';
import { formatAmount } from '../../../lib/rate.js';
import { formatTimeLeft } from '../../../lib/time-format.js';
import { describeAtLimit } from '../limit-at-work.js';
import { type Moment, simulate } from '../limit-simulation.js';
import classes from './limit-picture.module.css';

const WIDTH = 480;
const HEIGHT = 96;
const GAP = 1.5;

const PARTS = ['passed', 'delayed', 'beyond', 'refused'] as const;
type Part = (typeof PARTS)[number];

/** What happens at the limit, drawn: requests over time, what passes, what passes marked or later, and what is refused. */
export function LimitPicture({ policy }: { policy: LimitPolicy }) {
  const captionId = useId();
  const { moments, lengthMs, highest } = simulate(policy);
  const shown = PARTS.filter((part) => moments.some((moment) => moment[part] > 0.0001));
  const names: Record<Part, string> = {
    passed: 'allowed',
    delayed: 'delayed',
    beyond: policy.throttle?.mode === 'elastic' ? 'borrowed' : 'allowed, marked',
    refused: 'denied, 429',
  };
  const times = [0, 1, 2, 3].map((part) => (part === 0 ? '0' : formatTimeLeft((lengthMs / 3) * part)));
  return (
    <figure className={classes.figure} aria-labelledby={captionId}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.picture}
        aria-hidden
      >
        {moments.map((moment, i) => (
          <Bar key={i} moment={moment} place={i} of={moments.length} highest={highest} />
        ))}
        {[1, 2].map((window) => (
          <line
            key={window}
            x1={(WIDTH / 3) * window}
            x2={(WIDTH / 3) * window}
            y1={0}
            y2={HEIGHT}
            className={classes.boundary}
          />
        ))}
      </svg>
      <div className={classes.times} aria-hidden>
        {times.map((time) => (
          <span key={time}>{time}</span>
        ))}
      </div>
      <figcaption id={captionId} className={classes.caption}>
        <strong>{formatAmount(ruleOf(policy))}.</strong> {describeAtLimit(policy)}
      </figcaption>
      <ul className={classes.legend}>
        <li className={classes.load}>When demand is almost twice the limit</li>
        {shown.map((part) => (
          <li key={part}>
            <span className={classes.swatch} data-part={part} aria-hidden />
            {names[part]}
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface BarProps {
  moment: Moment;
  place: number;
  of: number;
  highest: number;
}

function Bar({ moment, place, of, highest }: BarProps) {
  const width = WIDTH / of;
  let y = HEIGHT;
  return PARTS.map((part) => {
    const height = (moment[part] / highest) * (HEIGHT - 4);
    if (height <= 0.01) return null;
    y -= height;
    return (
      <rect
        key={part}
        data-part={part}
        className={classes.bar}
        x={place * width + GAP / 2}
        y={y}
        width={width - GAP}
        height={height}
      />
    );
  });
}
