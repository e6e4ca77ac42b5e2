import { formatNumber } from '../../../lib/number-format.js';
import type { PoolDetail } from '../api/api.js';
import type { PoolLive } from '../api/pools-live.js';
import classes from './pools.module.css';

interface PoolGaugeProps {
  pool: PoolDetail;
  /** Undefined: not known yet; null: cannot be known. */
  live: PoolLive | undefined;
}

/** How a pool is drawn on now: what tenants use by their own limits, what is lent, and what could be. */
export function PoolGauge({ pool, live }: PoolGaugeProps) {
  const capacity = live?.capacity ?? pool.capacity;
  const parts = [
    { kind: 'admitted', value: live?.admitted ?? 0, label: 'allowed' },
    { kind: 'borrowed', value: live?.borrowed ?? 0, label: 'borrowed' },
    { kind: 'spare', value: live?.spare ?? 0, label: 'spare' },
  ] as const;
  const [admitted, borrowed, spare] = parts.map(({ value }) => formatNumber(value));
  // What is drawn may pass the capacity for a moment: loans come on top.
  const scale = Math.max(capacity, (live?.admitted ?? 0) + (live?.borrowed ?? 0));
  return (
    <div className={classes.gauge}>
      <div
        role="img"
        className={classes.bar}
        aria-label={`Pool ${pool.name}: ${admitted ?? ''} of ${formatNumber(capacity)} units per second allowed, ${borrowed ?? ''} borrowed, ${spare ?? ''} spare`}
      >
        {parts.map(({ kind, value }) => (
          <span key={kind} data-kind={kind} style={{ width: `${(value / scale) * 100}%` }} />
        ))}
        <i className={classes.mark} style={{ left: `${(capacity * pool.reclaimPercent) / scale}%` }} />
      </div>
      <dl className={classes.legend}>
        {parts.map(({ kind, value, label }) => (
          <div key={kind}>
            <dt>
              <span className={classes.swatch} data-kind={kind} aria-hidden />
              {label}
            </dt>
            <dd>{live ? `${formatNumber(value)}/s` : '–'}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
