import type { LimitPolicy } from '@tollgate/contracts';
import { useId, useMemo, useState } from 'react';
import { ruleOf } from '../lib/limit-fields.js';
import { describeAtLimit, type Moment, simulate } from '../lib/limit-simulation.js';
import { formatAmount } from '../lib/rate.js';
import { formatTimeLeft } from '../lib/time-format.js';
import classes from './limit-picture.module.css';
import { PointSlider } from './point-slider.js';

const WIDTH = 480;
const HEIGHT = 96;
const GAP = 1.5;

const PARTS = ['passed', 'delayed', 'beyond', 'denied'] as const;
type Part = (typeof PARTS)[number];

interface LimitPictureProps {
  policy: LimitPolicy;
  /** Requests that were sent, as shares of the limit; otherwise demand above the limit is simulated. */
  requests?: readonly Moment[];
}

/** Chart of a limit under load: allowed, marked, delayed and denied requests over time. */
export function LimitPicture({ policy, requests }: LimitPictureProps) {
  const captionId = useId();
  const simulated = useMemo(() => simulate(policy), [policy]);
  const { lengthMs } = simulated;
  const moments = requests ?? simulated.moments;
  const demandOf = (moment: Moment) => PARTS.reduce((sum, part) => sum + moment[part], 0);
  const highest = requests ? Math.max(1, ...moments.map(demandOf)) : simulated.highest;
  const place = Math.min(WIDTH / moments.length, WIDTH / 12);
  const gap = Math.min(GAP, place / 4);
  const top = HEIGHT - (HEIGHT - 4) / highest;
  const shown = PARTS.filter((part) => moments.some((moment) => moment[part] > 0.0001));
  const names: Record<Part, string> = {
    passed: 'allowed',
    delayed: 'delayed',
    beyond: policy.throttle?.mode === 'elastic' ? 'borrowed' : 'allowed, marked',
    denied: 'denied, 429',
  };
  const [selected, setSelected] = useState<number>();
  const point = selected === undefined ? undefined : moments[selected];
  const pointText = (moment: Moment, index: number) => {
    const shares = shown.filter((part) => moment[part] > 0.0001);
    if (requests) return `Request ${index + 1}: ${shares.map((part) => names[part]).join(', ')}`;
    const at = formatTimeLeft((lengthMs * index) / moments.length);
    const demand = demandOf(moment);
    if (demand === 0) return `After ${at}: no requests`;
    return `After ${at}: ${shares.map((part) => `${Math.round((moment[part] / demand) * 100)} % ${names[part]}`).join(', ')}`;
  };
  const times = requests
    ? ['1', String(requests.length)].slice(0, requests.length)
    : [0, 1, 2, 3].map((part) => (part === 0 ? '0' : formatTimeLeft((lengthMs / 3) * part)));
  return (
    <figure className={classes.figure} aria-labelledby={captionId}>
      <PointSlider
        label={`${requests ? 'Test requests' : 'Limit under load'}. Arrow keys move through ${requests ? 'them' : 'time'}.`}
        count={moments.length}
        selected={selected}
        onSelect={setSelected}
        describe={(index) => pointText(moments[index] as Moment, index)}
        className={classes.picture}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className={classes.drawing}
          aria-hidden
        >
          {selected !== undefined && (
            <rect x={selected * place} y={0} width={place} height={HEIGHT} className={classes.selected} />
          )}
          {moments.map((moment, i) => (
            <Bar key={i} moment={moment} x={i * place + gap / 2} width={place - gap} highest={highest} />
          ))}
          {requests ? (
            <line x1={0} x2={WIDTH} y1={top} y2={top} className={classes.boundary} />
          ) : (
            [1, 2].map((window) => {
              const x = (WIDTH / 3) * window;
              return <line key={window} x1={x} x2={x} y1={0} y2={HEIGHT} className={classes.boundary} />;
            })
          )}
        </svg>
      </PointSlider>
      <div className={classes.times} aria-hidden>
        {times.map((time) => (
          <span key={time}>{time}</span>
        ))}
      </div>
      <figcaption id={captionId} className={classes.caption}>
        <strong>{formatAmount(ruleOf(policy))}.</strong> {describeAtLimit(policy)}
      </figcaption>
      <ul className={`tg-list ${classes.legend}`}>
        <li className={classes.load}>
          {point && selected !== undefined
            ? pointText(point, selected)
            : requests
              ? 'Your test requests in their order; the line is the limit'
              : 'When demand is almost twice the limit'}
        </li>
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
  x: number;
  width: number;
  highest: number;
}

function Bar({ moment, x, width, highest }: BarProps) {
  let y = HEIGHT;
  return PARTS.map((part) => {
    const height = (moment[part] / highest) * (HEIGHT - 4);
    if (height <= 0.01) return null;
    y -= height;
    return (
      <rect key={part} data-part={part} className={classes.bar} x={x} y={y} width={width} height={height} />
    );
  });
}
