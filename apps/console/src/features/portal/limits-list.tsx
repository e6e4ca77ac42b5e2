import { Anchor, VisuallyHidden } from '@mantine/core';
import { IconInfinity } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { FillBar, Numbers } from '../../components/figures.js';
import { EmptyState, Panel } from '../../components/page.js';
import { LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { amountInWords, dimensionsInWords, limitTitle, perSpan } from '../../lib/limit-title.js';
import { formatNumber, formatShare, plural } from '../../lib/number-format.js';
import { formatDayInZone, formatInZone, formatTimeLeft, useNow } from '../../lib/time-format.js';
import type { LimitHistory, PortalLimit, PortalTenant } from './api.js';
import { historyOf } from './api.js';
import { LimitGraph, limitedDays, measureText } from './limit-graph.js';
import classes from './portal.module.css';

/** Consumption of a quota and when it runs out. */
export interface QuotaForecast {
  apiKey: string;
  limitName: string;
  periodEnd: string;
  /** Null: not before the period ends. */
  runsOutAt?: string | null;
}

/** The used share of a limit, 0 to 1; undefined without a total. */
export const fullness = ({ live }: PortalLimit): number | undefined =>
  live ? live.used / Math.max(1, live.used + live.remaining) : undefined;

/** Limits with a total, fullest first, then the others by name. */
export const fullestFirst = (limits: readonly PortalLimit[]): PortalLimit[] =>
  limits.toSorted((a, b) => (fullness(b) ?? -1) - (fullness(a) ?? -1));

export const titleOf = ({ limit }: PortalLimit): string => limitTitle(limit.policy);

/** How a limit is calculated from plan, purchases and grants. */
function LimitBill({ limit, tenant }: { limit: PortalLimit; tenant: PortalTenant }) {
  const { policy } = limit.limit;
  const total = amountInWords(ruleOf(policy));
  return (
    <table className={classes.bill}>
      <caption>
        <VisuallyHidden>
          How {policy.name} is calculated: {total}
        </VisuallyHidden>
      </caption>
      <tbody>
        <tr>
          <th scope="row">{tenant.subscription.tier.name} plan</th>
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
  histories: readonly LimitHistory[] | null | undefined;
  actions?: ReactNode;
}

export function LimitsList({ tenant, forecasts, histories, actions }: LimitsListProps) {
  const { effectiveLimits } = tenant;
  return (
    <Panel
      title="Your limits"
      note="Fullest first. Graphs show the last 30 days; the dashed line is the limit."
      actions={actions}
      flush
    >
      {effectiveLimits.length === 0 && (
        <EmptyState icon={<IconInfinity size={30} stroke={1.5} aria-hidden />} title="No limits">
          You can call every operation without limit.
        </EmptyState>
      )}
      <ul className="tg-list">
        {fullestFirst(effectiveLimits).map((limit) => (
          <LimitItem
            key={limit.limit.id}
            limit={limit}
            tenant={tenant}
            forecast={forecasts.find(
              ({ apiKey, limitName }) =>
                apiKey === limit.limit.policy.api && limitName === limit.limit.policy.name,
            )}
            history={historyOf(histories, limit.limit.policy)}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface LimitItemProps {
  limit: PortalLimit;
  tenant: PortalTenant;
  forecast: QuotaForecast | undefined;
  history: LimitHistory | undefined;
}

function LimitItem({ limit, tenant, forecast, history }: LimitItemProps) {
  const { policy } = limit.limit;
  const share = fullness(limit);
  const title = titleOf(limit);
  const amount = amountInWords(ruleOf(policy));
  const days = history ? limitedDays(history) : 0;
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.title}>
          <span>{title}</span>
          <span className="tg-soft">
            {amount}
            {share === undefined && policy.per.length > 0 && `, ${perText(policy.per)}`}
          </span>
          {share !== undefined && (
            <strong
              className={classes.percent}
              data-tone={share >= 1 ? 'full' : share >= 0.8 ? 'near' : 'low'}
            >
              {formatShare(share)}
            </strong>
          )}
        </div>
        {share !== undefined && <FillBar label={`${title}, ${amount}`} share={share} />}
        <Reading limit={limit} forecast={forecast} tenant={tenant} />
        {limit.provenance.length > 0 && <Included limit={limit} tenant={tenant} />}
      </div>
      {history && (
        <div>
          <LimitGraph history={history} label={`${title}, ${amount}: the last 30 days`} height={44} />
          <Numbers>
            {measureText(history)}.{days > 0 && ` Rate limited on ${plural(days, 'day')}.`}
          </Numbers>
        </div>
      )}
    </li>
  );
}

const perText = (per: readonly string[]): string => {
  const dimensions = dimensionsInWords(per);
  return dimensions === '' ? 'shared by all customers' : `per ${dimensions}`;
};

/** What is used and left, and when it resets or runs out. */
function Reading({ limit, forecast, tenant: { timeZone } }: Omit<LimitItemProps, 'history'>) {
  const now = useNow();
  const { live } = limit;
  const { policy } = limit.limit;
  if (!live) {
    const text = dimensionsInWords(policy.per);
    return (
      <Numbers>
        {text !== ''
          ? `Tracked per ${text}; no combined total`
          : policy.per.length > 0
            ? 'Shared by all customers; no total for you'
            : 'Usage is unavailable right now'}
      </Numbers>
    );
  }
  const { used, remaining, resetAt } = live;
  if (policy.algorithm === 'concurrency') {
    return (
      <Numbers>
        {formatNumber(used)} in use, {formatNumber(remaining)} left
      </Numbers>
    );
  }
  const endsAt = forecast?.periodEnd ?? resetAt;
  const leftMs = Date.parse(endsAt) - now;
  const resets = `Resets ${formatInZone(endsAt, timeZone)}, in ${formatTimeLeft(leftMs)}`;
  const runsOutAt = remaining > 0 ? forecast?.runsOutAt : null;
  return (
    <Numbers>
      <span>
        {formatNumber(used)} used, {formatNumber(remaining)} left
      </span>
      {used > 0 && leftMs > 0 && (
        <span data-warn={runsOutAt != null || undefined} className={classes.outlook}>
          {runsOutAt != null
            ? `At this pace used up in ${formatTimeLeft(Date.parse(runsOutAt) - now)}; resets in ${formatTimeLeft(leftMs)}`
            : resets}
        </span>
      )}
    </Numbers>
  );
}

/** What the limit includes besides the plan, with the calculation on request. */
function Included({ limit, tenant }: { limit: PortalLimit; tenant: PortalTenant }) {
  const { provenance, tierLimit } = limit;
  const rule = ruleOf(limit.limit.policy);
  const more = rule.limit - tierLimit;
  const until = provenance.findLast((step) => step.until)?.until;
  const change = `${more >= 0 ? '+' : '−'}${formatNumber(Math.abs(more))} ${perSpan(rule)}`;
  return (
    <details className={classes.included}>
      <Anchor component="summary" size="xs">
        Includes {change}
        {until && ` until ${formatDayInZone(until, tenant.timeZone)}`}
      </Anchor>
      <LimitBill limit={limit} tenant={tenant} />
    </details>
  );
}

/** Limits that the purchase of this label raises, with current values; renders nothing without one. */
export function RaisedLimits({ tenant, label }: { tenant: PortalTenant; label: string }) {
  const raised = tenant.effectiveLimits.flatMap(({ limit, provenance }) => {
    const step = provenance.findLast((one) => one.label === label);
    return step ? [{ id: limit.id, policy: limit.policy, step }] : [];
  });
  return (
    <>
      Raised limits:
      <ul className={classes.raised}>
        {raised.map(({ id, policy, step }) => (
          <li key={id}>
            {limitTitle(policy)} {formatNumber(step.from)} → <strong>{formatNumber(step.to)}</strong>{' '}
            {perSpan(ruleOf(policy))}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether a purchase with this label raises any limit of the tenant. */
export const isRaisedBy = (tenant: PortalTenant, label: string): boolean =>
  tenant.effectiveLimits.some(({ provenance }) => provenance.some((step) => step.label === label));
