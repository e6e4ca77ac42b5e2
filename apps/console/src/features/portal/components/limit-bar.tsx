import { Text } from '@mantine/core';
import { LimitGauge } from '../../../components/figures.js';
import { StateDot } from '../../../components/marks.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone } from '../../../lib/time-format.js';
import type { PortalLimit } from '../api/portal-tenant.js';
import classes from './portal.module.css';

/** How fast a quota is used, and when it will be used up. */
export interface QuotaForecast {
  apiKey: string;
  limitName: string;
  used: number;
  limit: number;
  unitsPerHour: number;
  periodEnd: string;
  /** Null: not before the period ends. */
  runsOutAt?: string | null;
}

interface LimitBarProps {
  limit: PortalLimit;
  timeZone: string;
  forecast: QuotaForecast | undefined;
}

/** How much of a limit is used now and when it is whole again, in the tenant's zone, which is said. */
export function LimitBar({ limit: { limit, live }, timeZone, forecast }: LimitBarProps) {
  const { policy } = limit;
  if (!live) {
    return (
      <Text size="sm" c="dimmed">
        <WhyNoBar per={policy.per} />
      </Text>
    );
  }
  return (
    <div>
      <LimitGauge
        label={`${policy.name} of ${policy.api}`}
        {...live}
        atSameTime={policy.algorithm === 'concurrency'}
        timeZone={timeZone}
      />
      {forecast && forecast.unitsPerHour > 0 && <Forecast forecast={forecast} timeZone={timeZone} />}
    </div>
  );
}

function Forecast({ forecast, timeZone }: { forecast: QuotaForecast; timeZone: string }) {
  const { used, limit, unitsPerHour, periodEnd, runsOutAt } = forecast;
  const rate = formatNumber(Math.round(unitsPerHour * 10) / 10);
  const text =
    used >= limit
      ? `Used up until ${formatInZone(periodEnd, timeZone)}`
      : runsOutAt == null
        ? `Lasts until it resets at ${rate} per hour`
        : `Runs out ${formatInZone(runsOutAt, timeZone)} at ${rate} per hour`;
  return (
    <div className={classes.forecast}>
      <StateDot tone={used >= limit ? 'bad' : runsOutAt == null ? 'good' : 'warn'}>{text}</StateDot>
    </div>
  );
}

function WhyNoBar({ per }: { per: readonly string[] }) {
  const dimensions = per.filter((name) => name !== 'global');
  if (dimensions.length > 0) return `Tracked per ${dimensions.join(' + ')}; no combined total.`;
  return per.length > 0 ? 'Shared by all customers; no total for you.' : 'The counter is unavailable.';
}
