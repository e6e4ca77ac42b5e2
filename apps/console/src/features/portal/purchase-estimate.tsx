import { Text } from '@mantine/core';
import { limitTitle, perSpan, wordsOfName } from '@tollgate/contracts/limit-title';
import { LimitGraph } from '../../components/limit-graph.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { estimateDays, type LimitHistory, measureText, ofLimit } from '../../lib/limit-history.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import type { PortalTenant } from './api.js';
import { PastEffect, type PurchasedLimit } from './past-effect.js';
import classes from './portal.module.css';

interface PurchaseEstimateProps {
  tenant: PortalTenant;
  histories: readonly LimitHistory[] | null | undefined;
  limit: PurchasedLimit;
}

/** A limit now and after a purchase, with the days of the last 30 that each would have limited. */
export function PurchaseEstimate({ tenant, histories, limit }: PurchaseEstimateProps) {
  const { apiKey, limitName, before, after, past } = limit;
  const name = { api: apiKey, name: limitName };
  const own = tenant.effectiveLimits.find(
    ({ limit: { policy } }) => policy.api === apiKey && policy.name === limitName,
  );
  const history = ofLimit(histories, name);
  const title = own ? limitTitle(own.limit.policy) : wordsOfName(limitName);
  const per = own ? perSpan(ruleOf(own.limit.policy)) : '';
  const days = history && estimateDays(history, before, after);
  return (
    <li className={classes.estimate}>
      <span className="tg-soft">{title}, now and after</span>
      <span className={classes.beforeAfter}>
        <span className="tg-soft">{formatNumber(before)}</span> → <strong>{formatNumber(after)}</strong>{' '}
        <small>{per}</small>
      </span>
      <PastEffect past={past} />
      {days?.now === 0 && past.denied > 0 && (
        <Text size="sm" c="dimmed">
          Your last 30 days stay below {formatNumber(before)}.
        </Text>
      )}
      {history && days && days.now > 0 && (
        <>
          <Text size="sm">
            Your usage exceeds {formatNumber(before)} on <strong>{days.now} of the last 30 days</strong>, and{' '}
            {formatNumber(after)} on <strong>{plural(days.after, 'day')}</strong>.
          </Text>
          <LimitGraph
            history={history}
            label={`${title}: the last 30 days against ${before} now and ${after} after`}
            height={56}
            compare={{ now: before, after }}
          />
          <Text size="xs" c="dimmed">
            {measureText(history)}. Dashed: now; solid: after.
            {days.boosted && ' Temporary boosts are not counted.'}
          </Text>
        </>
      )}
    </li>
  );
}

/** Whether the limits after a purchase would have sufficed on each of the last 30 days, and one did not before. */
export function wouldFit(
  histories: readonly LimitHistory[] | null | undefined,
  limits: readonly Omit<PurchasedLimit, 'past'>[],
): boolean {
  const estimates = limits.flatMap(({ apiKey, limitName, before, after }) => {
    const history = ofLimit(histories, { api: apiKey, name: limitName });
    return history ? [estimateDays(history, before, after)] : [];
  });
  return estimates.some(({ now }) => now > 0) && estimates.every(({ after }) => after === 0);
}
