import { Progress, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { StateDot } from '../../../components/state-dot.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatInZone, formatTimeLeft } from '../../../lib/time-format.js';
import { useNow } from '../../../lib/use-now.js';
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
  const { used, remaining } = live;
  const atOnce = policy.algorithm === 'concurrency';
  const whole = used + remaining;
  // Rounded, because it is read out as it stands.
  const percent = whole === 0 ? 0 : Math.round((used / whole) * 1_000) / 10;
  return (
    <div>
      <div className={classes.numbers}>
        <span>
          {t.rich(atOnce ? 'inUse' : 'used', {
            used: formatNumber(used),
            b: (amount) => <strong>{amount}</strong>,
          })}
        </span>
        <span>{t('left', { left: formatNumber(remaining) })}</span>
      </div>
      <Progress
        value={percent}
        color={percent >= 100 ? 'ember' : percent >= 80 ? 'ochre.4' : 'gate'}
        size={6}
        my={5}
        transitionDuration={200}
        aria-label={t('ofLimit', { name: policy.name, api: policy.api })}
      />
      <div className={classes.numbers}>
        <Reset used={used} resetAt={live.resetAt} atOnce={atOnce} timeZone={timeZone} />
      </div>
      {forecast && forecast.unitsPerHour > 0 && <Forecast forecast={forecast} timeZone={timeZone} />}
    </div>
  );
}

interface ResetProps {
  used: number;
  resetAt: string;
  atOnce: boolean;
  timeZone: string;
}

function Reset({ used, resetAt, atOnce, timeZone }: ResetProps) {
  const t = useTranslations('portal');
  const leftMs = Date.parse(resetAt) - useNow();
  if (used === 0 || leftMs <= 0) return <span>{t(atOnce ? 'nothingInUse' : 'nothingUsed')}</span>;
  const facts = { left: formatTimeLeft(leftMs), when: formatInZone(resetAt, timeZone) };
  return <span>{t(atOnce ? 'frees' : 'resets', facts)}</span>;
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
