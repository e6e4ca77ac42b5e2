import { IconInfinity } from '@tabler/icons-react';
import type { LimitPolicy } from '@tollgate/contracts';
import { isBlocking } from '@tollgate/contracts/limit-scope';
import {
  amountInWords,
  countsInWindows,
  dimensionsInWords,
  limitTitle,
  perSpan,
  spanInWords,
} from '@tollgate/contracts/limit-title';
import type { ReactNode } from 'react';
import { FillBar, Numbers } from '../../components/figures.js';
import { LimitGraph } from '../../components/limit-graph.js';
import { EmptyState, Panel } from '../../components/page.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { type LimitHistory, limitedDays, measureText, ofLimit, peakOf } from '../../lib/limit-history.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatNear, formatTimeLeft, useNow } from '../../lib/time-format.js';
import type { LimitUsage, PortalLimit, PortalTenant } from './api.js';
import { LimitDetails } from './limit-details.js';
import classes from './portal.module.css';

/** A limit of the tenant as a whole with its utilization; undefined for limits without a total. */
const usageOf = ({ limit }: PortalLimit, usages: readonly LimitUsage[]): LimitUsage | undefined =>
  limit.policy.per.length === 0 ? ofLimit(usages, limit.policy) : undefined;

/** Limits with a total, fullest first, then the others. */
const fullestFirst = (limits: readonly PortalLimit[], usages: readonly LimitUsage[]): PortalLimit[] => {
  const rank = (limit: PortalLimit) => {
    const usage = usageOf(limit, usages);
    return usage ? usage.percent * 1e9 + Math.min(usage.denied, 1e8) : -1;
  };
  return limits.toSorted((a, b) => rank(b) - rank(a));
};

/** The fullest limit of the tenant as a whole. */
export function fullestOf(
  limits: readonly PortalLimit[],
  usages: readonly LimitUsage[],
): { title: string; usage: LimitUsage } | undefined {
  const [limit] = fullestFirst(limits, usages);
  const usage = limit && usageOf(limit, usages);
  return usage && { title: titleOf(limit), usage };
}

const titleOf = ({ limit }: PortalLimit): string => limitTitle(limit.policy);

interface LimitsListProps {
  tenant: PortalTenant;
  usages: readonly LimitUsage[];
  histories: readonly LimitHistory[] | null | undefined;
  actions?: ReactNode;
}

export function LimitsList({ tenant, usages, histories, actions }: LimitsListProps) {
  const { effectiveLimits } = tenant;
  return (
    <Panel
      title="Your limits"
      note="Fullest first. Graphs show the last 30 days; the dashed line is the limit."
      actions={actions}
      flush
    >
      {effectiveLimits.length === 0 && (
        <EmptyState icon={IconInfinity} title="No limits">
          You can call every operation without limit.
        </EmptyState>
      )}
      <ul className="tg-list">
        {fullestFirst(effectiveLimits, usages).map((limit) => (
          <LimitItem
            key={limit.limit.id}
            limit={limit}
            tenant={tenant}
            usage={usageOf(limit, usages)}
            history={ofLimit(histories, limit.limit.policy)}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface LimitItemProps {
  limit: PortalLimit;
  tenant: PortalTenant;
  usage: LimitUsage | undefined;
  history: LimitHistory | undefined;
}

function LimitItem({ limit, tenant, usage, history }: LimitItemProps) {
  const { policy } = limit.limit;
  const title = titleOf(limit);
  const dimensions = dimensionsInWords(policy.per);
  const amount = `${amountInWords(ruleOf(policy))}${dimensions && `, per ${dimensions}`}`;
  const days = history ? limitedDays(history) : 0;
  const isUnused = usage?.used === 0 && days === 0 && history !== undefined && peakOf(history) === undefined;
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.title}>
          <span>{title}</span>
          <span className="tg-soft">{amount}</span>
          {usage && !isUnused ? (
            <strong
              className={classes.percent}
              data-tone={usage.percent >= 100 ? 'full' : usage.percent >= 80 ? 'near' : 'low'}
            >
              {usage.percent} %
            </strong>
          ) : (
            <span className={classes.untracked}>
              {isUnused ? 'Not used in the last 30 days' : untrackedText(policy, dimensions)}
            </span>
          )}
        </div>
        {usage && !isUnused && (
          <>
            <FillBar label={`${title}, ${amount}`} share={usage.percent / 100} />
            <Reading policy={policy} usage={usage} timeZone={tenant.timeZone} />
          </>
        )}
        <LimitDetails limit={limit} tenant={tenant} />
      </div>
      {history && !isUnused && (
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

/** Why a limit has no meter. */
function untrackedText(policy: LimitPolicy, dimensions: string): string {
  const { per, enforcement } = policy;
  if (isBlocking(policy)) return 'Every request is denied';
  if (dimensions !== '') return `Tracked per ${dimensions}; no combined total`;
  if (per.length > 0) return 'Shared by all customers; no total for you';
  return enforcement?.mode === 'shadow' ? 'Not enforced yet' : 'Usage is unavailable right now';
}

/** What is used and left, and when it resets or runs out. */
function Reading({ policy, usage, timeZone }: { policy: LimitPolicy; usage: LimitUsage; timeZone: string }) {
  const now = useNow();
  const { used, capacity, denied, limitedSince, resetsAt, exhaustsAt } = usage;
  const left = formatNumber(Math.max(0, capacity - used));
  if (resetsAt) {
    const resets = `resets ${formatNear(resetsAt, timeZone)}, in ${formatTimeLeft(Date.parse(resetsAt) - now)}`;
    return (
      <Numbers>
        <span>
          {formatNumber(used)} used, {left} left
        </span>
        <span className={classes.outlook} data-warn={exhaustsAt != null || undefined}>
          {exhaustsAt != null && used < capacity
            ? `At this pace used up in ${formatTimeLeft(Date.parse(exhaustsAt) - now)}; ${resets}`
            : capitalized(resets)}
        </span>
      </Numbers>
    );
  }
  return (
    <Numbers>
      <span>{busiestText(policy, usage)}</span>
      {denied > 0 && (
        <span className={classes.outlook} data-warn>
          {limitedSince ? 'Rate limited now' : `${formatNumber(denied)} rate limited in the last hour`}
        </span>
      )}
    </Numbers>
  );
}

const HOUR_MS = 3_600_000;

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function busiestText(policy: LimitPolicy, { used, capacity, percent }: LimitUsage): string {
  // Of a request with a high cost, or of an amount per label: units may be left.
  if (percent >= 100 && used < capacity) return 'Limit reached in the last hour';
  if (policy.algorithm === 'concurrency')
    return `${formatNumber(used)} at once at the busiest moment of the last hour`;
  if (policy.algorithm !== 'quota' && !countsInWindows(policy))
    return `Largest burst of the last hour: ${formatNumber(used)} of ${formatNumber(capacity)} requests`;
  const windowMs = 'windowMs' in policy ? policy.windowMs : 0;
  if (windowMs >= HOUR_MS)
    return `${formatNumber(used)} used in one ${spanInWords(windowMs)}, ${formatNumber(Math.max(0, capacity - used))} left`;
  const then = capacity === policy.limit ? '' : `, when the limit was ${formatNumber(capacity)}`;
  return `${formatNumber(used)} in the busiest ${spanInWords(windowMs)} of the last hour${then}`;
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
