import { KeyText } from '../../components/marks.js';
import { DECISION_REASON_TEXT, LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { plural } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatInstant, readersZone } from '../../lib/time-format.js';
import type { DeniedRequest } from './api.js';
import { Fact } from './decision-facts.js';
import classes from './explain.module.css';

/** What the response of a denied request contained. */
export function DeniedFacts({ request }: { request: DeniedRequest }) {
  const { requestId, at, reason, limitName, retryAfter } = request;
  return (
    <dl className={`tg-facts ${classes.column}`}>
      <Fact name="Reason">{DECISION_REASON_TEXT[reason]}</Fact>
      {limitName && <Fact name="Limit">{limitName}</Fact>}
      <Fact name="When">{formatInstant(at, readersZone())}</Fact>
      <Fact name="Retry after">
        {retryAfter == null ? 'waiting does not help' : plural(retryAfter, 'second')}
      </Fact>
      <Fact name="Request">
        <KeyText>{requestId}</KeyText>
      </Fact>
    </dl>
  );
}

/** The limit of a denied request as it was then, for members of the tenant. */
export function PastAmount({ origin }: { origin: NonNullable<DeniedRequest['origin']> }) {
  const { tenantKey, apiKey, operation, limitName, past } = origin;
  const amount = (limit: number) => past && formatAmount({ ...ruleOf(past.limit.policy), limit });
  return (
    <dl className={`tg-facts ${classes.column}`}>
      <Fact name="Organization">{tenantKey}</Fact>
      <Fact name="Operation">
        {operation} <span className="tg-soft">{apiKey}</span>
      </Fact>
      {past && (
        <>
          <Fact name={`${limitName} at that time`}>{amount(past.limit.policy.limit)}</Fact>
          <Fact name={`${past.tierName} v${past.tierVersion}`}>{amount(past.limit.tierLimit)}</Fact>
          {past.limit.provenance.map(({ adjustmentId, label, source, to }) => (
            <Fact key={adjustmentId} name={label || LIMIT_SOURCE_TEXT[source]}>
              {amount(to)}
            </Fact>
          ))}
        </>
      )}
    </dl>
  );
}
