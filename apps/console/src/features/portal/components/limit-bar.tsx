import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { LimitGauge } from '../../../components/limit-gauge.js';
import { StateDot } from '../../../components/state-dot.js';
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
  const t = useTranslations('portal');
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
        label={t('ofLimit', { name: policy.name, api: policy.api })}
        {...live}
        atSameTime={policy.algorithm === 'concurrency'}
        timeZone={timeZone}
      />
      {forecast && forecast.unitsPerHour > 0 && <Forecast forecast={forecast} timeZone={timeZone} />}
    </div>
  );
}

function Forecast({ forecast, timeZone }: { forecast: QuotaForecast; timeZone: string }) {
  const t = useTranslations('portal');
  const { used, limit, unitsPerHour, periodEnd, runsOutAt } = forecast;
  const rate = formatNumber(Math.round(unitsPerHour * 10) / 10);
  const text =
    used >= limit
      ? t('usedUp', { when: formatInZone(periodEnd, timeZone) })
      : runsOutAt == null
        ? t('lasts', { rate })
        : t('runsOut', { rate, when: formatInZone(runsOutAt, timeZone) });
  return (
    <div className={classes.forecast}>
      <StateDot tone={used >= limit ? 'bad' : runsOutAt == null ? 'good' : 'warn'}>{text}</StateDot>
    </div>
  );
}

function WhyNoBar({ per }: { per: readonly string[] }) {
  const t = useTranslations('portal');
  const dimensions = per.filter((name) => name !== 'global');
  if (dimensions.length > 0) return t('apart', { dimensions: dimensions.join(' + ') });
  return t(per.length > 0 ? 'together' : 'unreadable');
}
