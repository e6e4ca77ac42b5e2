import { Alert, SegmentedControl, Skeleton, Switch } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useMemo } from 'react';
import { Figure, Figures } from '../../components/figures.js';
import { LinkAnchor } from '../../components/links.js';
import { Failure, Panel } from '../../components/page.js';
import { formatLatency, formatNumber, formatPercent, formatShare, plural } from '../../lib/number-format.js';
import { formatTimeLeft, readersZone } from '../../lib/time-format.js';
import { mostDeniedQuery, type Traffic, trafficQuery } from './api.js';
import {
  denialRise,
  type PublicationMark,
  previousPeriod,
  publicationMarks,
  trafficFigure,
} from './traffic.js';
import classes from './usage.module.css';
import { CHART_HEIGHT, UsageChart } from './usage-chart.js';
import { formatPoint, PLOT_INSET } from './usage-lines.js';
import { TRAFFIC_RANGES, type TrafficView, type UsageRangeName, withRange, zoomTo } from './usage-view.js';

interface TrafficViewProps {
  view: TrafficView;
  onView: (view: TrafficView) => void;
}

const RANGE_LABELS = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' };
const CUSTOM = 'custom';

/** Time range and comparison of Home's chart. */
export function TrafficControls({ view, onView }: TrafficViewProps) {
  const { compare: _, ...rest } = view;
  const ranges = TRAFFIC_RANGES.map((value) => ({ value: value as string, label: RANGE_LABELS[value] }));
  return (
    <>
      <Switch
        size="xs"
        label={`Compare with ${previousPeriod(view)}`}
        checked={view.compare !== 'off'}
        onChange={({ currentTarget }) => onView(currentTarget.checked ? rest : { ...rest, compare: 'off' })}
      />
      <SegmentedControl
        aria-label="Time range"
        data={view.from ? [...ranges, { value: CUSTOM, label: 'Zoomed' }] : ranges}
        value={view.from ? CUSTOM : (view.range ?? '24h')}
        onChange={(range) => {
          if (range !== CUSTOM) onView(withRange(view, range as UsageRangeName));
        }}
      />
    </>
  );
}

interface TrafficBoardProps extends TrafficViewProps {
  /** Shown instead of the chart when there were no decisions, neither in the range nor before it. */
  empty: ReactNode;
}

/** Decisions of all tenants: totals, latency and a chart that can be zoomed. */
export function TrafficBoard({ view, onView, empty }: TrafficBoardProps) {
  const { data, error, refetch } = useQuery({ ...trafficQuery(view), placeholderData: keepPreviousData });
  if (error && !data) {
    return (
      <Panel>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  if (data?.total.count === 0 && data.previousTotal.count === 0 && !view.from) return empty;
  return (
    <Panel flush>
      <TrafficFigures traffic={data} view={view} />
      {data ? (
        <TrafficChart {...{ view, onView }} traffic={data} />
      ) : (
        <Skeleton h={CHART_HEIGHT + 37} m="md" />
      )}
    </Panel>
  );
}

/** As tall as the notes at most widths. */
const TWO_LINES = (
  <>
    <br />
    {'\u00a0'}
  </>
);

function TrafficFigures({ traffic, view }: { traffic: Traffic | undefined; view: TrafficView }) {
  const blank = <Skeleton h={22} w={90} component="span" display="inline-block" />;
  if (!traffic) {
    return (
      <Figures>
        {['Decisions', 'Denied', 'Degraded', 'Decision latency'].map((label) => (
          <Figure key={label} label={label} value={blank} note={TWO_LINES} />
        ))}
      </Figures>
    );
  }
  const { total, previousTotal, points, stepMs, p50Ms, p99Ms } = traffic;
  const part = (count: number) => (total.count === 0 ? '–' : formatPercent(count / total.count));
  const period = previousPeriod(view);
  const atOf = (at: string) => formatPoint(Date.parse(at), readersZone(), 'minute');
  const lastDegraded = points.findLast(({ degraded }) => degraded > 0);
  const slowest = points.reduce<Traffic['points'][number] | undefined>(
    (most, point) => ((point.p99Ms ?? 0) > (most?.p99Ms ?? 0) ? point : most),
    undefined,
  );
  return (
    <Figures>
      <Figure
        label="Decisions"
        value={formatNumber(total.count)}
        note={changeText(total.count, previousTotal.count, period)}
      />
      <Figure
        label="Denied"
        value={part(total.denied)}
        unit={formatNumber(total.denied)}
        note={`${formatNumber(previousTotal.denied)} in the ${period}`}
      />
      <Figure
        label="Degraded"
        value={part(total.degraded)}
        unit={formatNumber(total.degraded)}
        note={lastDegraded ? `Redis unavailable, last ${atOf(lastDegraded.at)}` : 'Redis was available'}
      />
      <Figure
        label="Decision latency"
        value={p99Ms == null ? '–' : formatLatency(p99Ms)}
        unit={p99Ms == null ? undefined : 'p99'}
        note={
          p50Ms == null || slowest?.p99Ms == null
            ? 'Not measured'
            : `p50 ${formatLatency(p50Ms)}, peak ${formatLatency(slowest.p99Ms)} ${stepMs > 60_000 ? 'from ' : ''}${atOf(slowest.at)}`
        }
      />
    </Figures>
  );
}

function changeText(now: number, before: number, period: string): string {
  if (before === 0) return `None in the ${period}`;
  const share = now / before - 1;
  return `${formatShare(Math.abs(share))} ${share < 0 ? 'below' : 'above'} the ${period}`;
}

function TrafficChart({ traffic, view, onView }: TrafficViewProps & { traffic: Traffic }) {
  const period = previousPeriod(view);
  const figure = useMemo(
    () =>
      trafficFigure(
        traffic,
        readersZone(),
        view.compare === 'off' ? undefined : `${period[0]?.toUpperCase()}${period.slice(1)}`,
      ),
    [traffic, view.compare, period],
  );
  const marks = publicationMarks(figure, traffic.publications);
  return (
    <>
      <UsageChart
        figure={figure}
        note={`Per ${formatTimeLeft(traffic.stepMs)}, ${figure.timeZone}`}
        above={<PublicationLabels marks={marks} />}
        onZoom={(fromMs, toMs) => onView(zoomTo(view, fromMs, toMs))}
        onZoomOut={() => view.from && onView(withRange(view, '24h'))}
      />
      {marks.length > 0 && (
        <p className={classes.markKey}>
          Published:{' '}
          {marks.map(({ publications }, index) => (
            <span key={publications[0]?.at}>
              <strong>{index + 1}</strong> <Published publications={publications} />
              {index < marks.length - 1 && '; '}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

function PublicationLabels({ marks }: { marks: readonly PublicationMark[] }) {
  const inset = PLOT_INSET.left + PLOT_INSET.right + 12;
  return (
    <div className={classes.marks}>
      {marks.map(({ position, publications }, index) => (
        <span
          key={publications[0]?.at}
          className={classes.mark}
          data-end={position > 0.5 || undefined}
          style={
            { '--at': `calc(${PLOT_INSET.left + 4}px + (100% - ${inset}px) * ${position})` } as CSSProperties
          }
        >
          <span className={classes.markNumber}>{index + 1}</span>
          <span className={classes.markName}>
            <Published publications={publications} />
          </span>
        </span>
      ))}
    </div>
  );
}

function Published({ publications: [first, ...others] }: Pick<PublicationMark, 'publications'>) {
  if (!first) return null;
  const { tierKey, tierName, number } = first;
  return (
    <>
      <LinkAnchor to="/tiers/$tierKey" params={{ tierKey }} inherit c="inherit">
        {tierName} v{number}
      </LinkAnchor>
      {others.length > 0 && (
        <LinkAnchor to="/revisions" inherit c="inherit">
          {' '}
          + {others.length} more
        </LinkAnchor>
      )}
    </>
  );
}

/** One line that takes its place before the traffic is known, so that the page does not move. */
const ATTENTION_HEIGHT = 54;

/** Whether denials rose, and why, with links. */
export function TrafficAttention({ view }: Pick<TrafficViewProps, 'view'>) {
  const { data: traffic, error } = useQuery({ ...trafficQuery(view), placeholderData: keepPreviousData });
  const rise = traffic && denialRise(traffic);
  const { data: leader } = useQuery(
    mostDeniedQuery(traffic?.from ?? '', traffic?.to ?? '', rise !== undefined),
  );
  if (!traffic) return error ? null : <Skeleton h={ATTENTION_HEIGHT} />;
  const period = previousPeriod(view);
  if (!rise) {
    return (
      <Alert color="gray" icon={<IconCircleCheck size={18} aria-hidden />} role="status">
        Denials did not rise against the {period}.
      </Alert>
    );
  }
  const { factor, cause } = rise;
  return (
    <Alert color="ochre" icon={<IconAlertTriangle size={18} aria-hidden />} role="status">
      <strong>
        {factor === null
          ? `${plural(traffic.total.denied, 'denial')}; none in the ${period}.`
          : `Denials are ${formatNumber(Math.round(factor * 10) / 10)} times the ${period}.`}
      </strong>{' '}
      {cause && (
        <>
          They rose after{' '}
          <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: cause.tierKey }} inherit underline="always">
            {cause.tierName} v{cause.number}
          </LinkAnchor>{' '}
          at {formatPoint(Date.parse(cause.at), readersZone(), 'minute')}.{' '}
        </>
      )}
      {leader && leader.denied > 0 && (
        <>
          <LinkAnchor
            to="/tenants/$tenantKey"
            params={{ tenantKey: leader.tenantKey }}
            inherit
            underline="always"
          >
            {leader.tenantName}
          </LinkAnchor>{' '}
          accounts for {formatShare(Math.min(1, leader.denied / traffic.total.denied))} of them.{' '}
          <LinkAnchor to="/why" search={{ q: leader.tenantKey }} inherit underline="always">
            Why?
          </LinkAnchor>
        </>
      )}
    </Alert>
  );
}
