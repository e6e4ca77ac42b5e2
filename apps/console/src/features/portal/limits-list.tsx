import { Badge, Text, VisuallyHidden } from '@mantine/core';
import { IconInfinity } from '@tabler/icons-react';
import { LimitGauge } from '../../components/figures.js';
import { StateDot } from '../../components/marks.js';
import { EmptyState, Panel } from '../../components/page.js';
import { LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatDayInZone, formatInZone } from '../../lib/time-format.js';
import type { PortalLimit, PortalTenant } from './api.js';
import classes from './portal.module.css';

/** Consumption of a quota and when it runs out. */
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

/** How a limit is calculated from tier, purchases and grants. */
export function LimitBill({ limit, tenant }: { limit: PortalLimit; tenant: PortalTenant }) {
  const { policy } = limit.limit;
  const total = formatAmount(ruleOf(policy));
  return (
    <table className={classes.bill}>
      <caption>
        <VisuallyHidden>
          How {policy.name} is calculated: {total}
        </VisuallyHidden>
      </caption>
      <tbody>
        <tr>
          <th scope="row">{tenant.subscription.tier.name} tier</th>
          <td>{formatNumber(limit.tierLimit)}</td>
        </tr>
        {limit.provenance.map(({ adjustmentId, label, source, from, to, until }) => (
          <tr key={adjustmentId}>
            <th scope="row">
              <span className="tg-soft">{LIMIT_SOURCE_TEXT[source]}</span> {label}
              {until && <span className="tg-soft"> (until {formatDayInZone(until, tenant.timeZone)})</span>}
            </th>
            <td>{formatStep(from, to)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Effective limit</th>
          <td>= {total}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const formatStep = (from: number, to: number): string =>
  to >= from ? `+${formatNumber(to - from)}` : `−${formatNumber(from - to)}`;

interface LimitsListProps {
  tenant: PortalTenant;
  forecasts: readonly QuotaForecast[];
}

export function LimitsList({ tenant, forecasts }: LimitsListProps) {
  const { name, timeZone, effectiveLimits } = tenant;
  const groups = Map.groupBy(effectiveLimits, ({ limit }) => limit.policy.api);
  return (
    <Panel title="Your limits" note={`Limits enforced for ${name}. Times in ${timeZone}.`} flush>
      {effectiveLimits.length === 0 && (
        <EmptyState icon={<IconInfinity size={30} stroke={1.5} aria-hidden />} title="No limits">
          You can call every operation without limit.
        </EmptyState>
      )}
      {[...groups].map(([api, limits]) => (
        <div key={api} className={classes.group}>
          <h3 className={classes.api}>{api}</h3>
          <ul className="tg-list">
            {limits.map((limit) => (
              <LimitItem key={limit.limit.id} limit={limit} tenant={tenant} forecasts={forecasts} />
            ))}
          </ul>
        </div>
      ))}
    </Panel>
  );
}

function LimitItem({ limit, tenant, forecasts }: LimitsListProps & { limit: PortalLimit }) {
  const { policy, summary } = limit.limit;
  const { api, name, operations } = policy;
  const forecast = forecasts.find(({ apiKey, limitName }) => apiKey === api && limitName === name);
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.title}>
          <span className={classes.amount}>{formatAmount(ruleOf(policy))}</span>
          <span>{operations.length === 0 ? 'all operations' : operations.join(', ')}</span>
          {limit.provenance.length > 0 && <Badge>{LIMIT_SOURCE_TEXT[limit.source]}</Badge>}
        </div>
        <Text size="sm" c="dimmed" mt={2}>
          {summary}
        </Text>
        {limit.provenance.length > 0 && <LimitBill limit={limit} tenant={tenant} />}
      </div>
      <div>
        <LimitGauge
          label={`${name} of ${api}`}
          policy={policy}
          live={limit.live}
          sharedText="Shared by all customers; no total for you."
          timeZone={tenant.timeZone}
        />
        {limit.live && forecast && forecast.unitsPerHour > 0 && (
          <Forecast forecast={forecast} timeZone={tenant.timeZone} />
        )}
      </div>
    </li>
  );
}

/** Limits that the purchase of this label raises, with current values; renders nothing without one. */
export function RaisedLimits({ tenant, label }: { tenant: PortalTenant; label: string }) {
  const raised = tenant.effectiveLimits.flatMap(({ limit, provenance }) => {
    const step = provenance.findLast((one) => one.label === label);
    return step ? [{ name: limit.policy.name, api: limit.policy.api, step }] : [];
  });
  return (
    <>
      Raised limits:
      <ul className={classes.raised}>
        {raised.map(({ name, api, step }) => (
          <li key={`${api}/${name}`}>
            {name} <span className="tg-soft">{api}</span> {formatNumber(step.from)} →{' '}
            <strong>{formatNumber(step.to)}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether a purchase with this label raises any limit of the tenant. */
export const isRaisedBy = (tenant: PortalTenant, label: string): boolean =>
  tenant.effectiveLimits.some(({ provenance }) => provenance.some((step) => step.label === label));
