import type { LimitPolicy } from '@tollgate/contracts';
import { countsInWindows } from '@tollgate/contracts/limit-title';
import { memo } from 'react';
import { type DotTone, StateDot } from '../../components/marks.js';
import type { TenantStatus } from '../../generated/graphql.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatClock, formatTimeLeft } from '../../lib/time-format.js';
import classes from './board.module.css';
import { type BoardLimit, type BoardTenant, limitText } from './board-api.js';

export const TENANT_STATUS_TEXT = { ACTIVE: 'Active', SUSPENDED: 'Suspended', ARCHIVED: 'Archived' } as const;

const STATUS_TONES: Readonly<Record<TenantStatus, DotTone>> = {
  ACTIVE: 'good',
  SUSPENDED: 'bad',
  ARCHIVED: 'quiet',
};

export function TenantStatusDot({ status }: { status: TenantStatus }) {
  return <StateDot tone={STATUS_TONES[status]}>{TENANT_STATUS_TEXT[status]}</StateDot>;
}

const WARNING_PERCENT = 80;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A bar of utilization: a warning from 80 %, full at 100 %. The text next to it states the same. */
export function Meter({ percent }: { percent: number }) {
  const tone = percent >= 100 ? 'bad' : percent >= WARNING_PERCENT ? 'warn' : 'good';
  return (
    <div className={classes.meter} data-tone={tone} aria-hidden="true">
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}

/** The fullest limit of a tenant. */
export function TightestLimit({ limit, short }: { limit: BoardLimit; short: boolean }) {
  const { limitName, percent, used, per } = limit;
  const who = per.length === 0 ? '' : `per ${per.join(' + ')}`;
  return (
    <>
      <span className={classes.limitLine}>
        <span
          className={classes.limitName}
          title={`${limit.apiKey}: ${limitName} ${limitText(limit)} ${who}`.trim()}
        >
          <span>{limitName}</span>
          <span className={classes.limitRate}>{limitText(limit)}</span>
          {who && <span className="tg-soft">{who}</span>}
        </span>
        <span className={classes.percent}>
          {!short && <span className={classes.used}>{formatNumber(used)} · </span>}
          {percent} %
        </span>
      </span>
      <Meter percent={percent} />
    </>
  );
}

const SPARK = { width: 84, height: 20, ticks: 5 };

/** Requests per hour as a line, with a tick below each hour with denials. */
export const Sparkline = memo(function Sparkline({
  requests,
  denied,
}: {
  requests: readonly number[];
  denied: readonly number[];
}) {
  if (requests.length < 2) return null;
  const most = Math.max(1, ...requests);
  const step = SPARK.width / (requests.length - 1);
  const points = requests.map(
    (count, i) =>
      `${(i * step).toFixed(1)},${(SPARK.height - 1 - (count / most) * (SPARK.height - 3)).toFixed(1)}`,
  );
  const ticks = denied.flatMap((count, i) =>
    count > 0 ? `M${(i * step - 1).toFixed(1)},${SPARK.height + 2}h3v3h-3z` : [],
  );
  const label = `Requests of the last 24 hours, denials in ${ticks.length} of them`;
  return (
    <svg
      className={classes.spark}
      viewBox={`0 0 ${SPARK.width} ${SPARK.height + SPARK.ticks}`}
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${SPARK.height} ${points.join(' ')} ${SPARK.width},${SPARK.height}`} />
      <polyline points={points.join(' ')} />
      {ticks.length > 0 && <path d={ticks.join('')} />}
    </svg>
  );
});

/** Time left, in whole minutes. */
const leftText = (ms: number) => formatTimeLeft(Math.ceil(ms / MINUTE_MS) * MINUTE_MS);

interface ExhaustionLines {
  text: string;
  note: string;
  tone?: 'bad' | 'warn' | 'soft';
}

/** When a tenant reaches its limit: the quota that is exhausted first, or the state of its tightest rate limit. */
function exhaustionLines(
  { tightest, exhausting }: Pick<BoardTenant, 'tightest' | 'exhausting'>,
  nowMs: number,
): ExhaustionLines | null {
  if (!tightest) return null;
  if (tightest.limitedSince) {
    return {
      text: 'Rate limited now',
      note: `since about ${formatClock(tightest.limitedSince)}`,
      tone: 'bad',
    };
  }
  if (exhausting?.exhaustsAt && exhausting.resetsAt) {
    const { exhaustsAt, resetsAt, used, limit, limitName } = exhausting;
    const reset = `resets in ${leftText(Date.parse(resetsAt) - nowMs)}`;
    const isTightest = limitName === tightest.limitName && exhausting.apiKey === tightest.apiKey;
    const note = isTightest ? reset : `${limitName}, ${reset}`;
    if (used >= limit) return { text: 'Exhausted', note, tone: 'bad' };
    const leftMs = Math.max(0, Date.parse(exhaustsAt) - nowMs);
    return { text: leftText(leftMs), note, ...(leftMs < HOUR_MS ? { tone: 'warn' as const } : {}) };
  }
  if (tightest.resetsAt) {
    const leftMs = Date.parse(tightest.resetsAt) - nowMs;
    return { text: 'Not before reset', note: `resets in ${leftText(leftMs)}` };
  }
  const kind = tightest.windowMs == null ? 'Concurrency limit' : 'Rate limit';
  const peak = tightest.peakAt && tightest.used > 0 ? `peak ${formatClock(tightest.peakAt)}` : '';
  return { text: kind, note: peak, tone: 'soft' };
}

export function Exhaustion({ tenant }: { tenant: Pick<BoardTenant, 'tightest' | 'exhausting'> }) {
  const lines = exhaustionLines(tenant, Date.now());
  if (lines === null) return <span className="tg-soft">No requests</span>;
  return (
    <>
      <span className={classes.exhaustion} data-tone={lines.tone}>
        {lines.text}
      </span>
      <span className={classes.note}>{lines.note}</span>
    </>
  );
}

/** The utilization of one limit: used of capacity, and when it resets or peaked. */
export function LimitUtilization({ limit, policy }: { limit: BoardLimit; policy: LimitPolicy }) {
  const { used, capacity, percent, per, windowMs, resetsAt, denied } = limit;
  const busiest = countsInWindows(policy) ? 'in the busiest window' : 'in the largest burst';
  const where = resetsAt ? 'used' : windowMs == null ? 'in use' : busiest;
  const who = per.length === 0 ? '' : `, fullest ${per.join(' + ')}`;
  const lines = exhaustionLines({ tightest: limit, exhausting: limit.exhaustsAt ? limit : null }, Date.now());
  const isUnused = percent === 0 && !resetsAt && windowMs != null;
  // Of a request with a high cost, or of an amount per label: units may be left.
  const isLimited = percent >= 100 && used < capacity;
  return (
    <div className={classes.gauge}>
      <span className={classes.limitLine}>
        <span>
          {isUnused
            ? 'Not used in the last hour'
            : isLimited
              ? `Limit reached${who}`
              : `${formatNumber(used)} of ${formatNumber(capacity)} ${where}${who}`}
        </span>
        <span className={classes.percent}>{percent} %</span>
      </span>
      <Meter percent={percent} />
      <span className={classes.note}>
        <span className={classes.exhaustion} data-tone={lines?.tone}>
          {lines?.text}
          {lines?.note && <span className="tg-soft"> · {lines.note}</span>}
        </span>
        {denied > 0 && `${formatNumber(denied)} denied ${resetsAt ? 'in this period' : 'in the last hour'}`}
      </span>
    </div>
  );
}
