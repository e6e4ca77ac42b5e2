import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { StateDot } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import { useLimitTitle } from '../../lib/customer-page.js';
import { LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { formatNumber } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatDayInZone, formatInstant } from '../../lib/time-format.js';
import { type Explanation, isDenied } from './api.js';
import { CounterMinute } from './counter-minute.js';
import { DecidingRule, DecisionFacts, leftOf } from './decision-facts.js';
import classes from './explain.module.css';
import { PassingRequest } from './passing-request.js';

interface PortalExplanationProps {
  explanation: Explanation;
  timeZone: string;
}

/** A decision for the customer: result, limits, calculation of the limit then, and what would have allowed it. */
export function PortalExplanation({ explanation, timeZone }: PortalExplanationProps) {
  const { decision, limits, minute } = explanation;
  const titleOf = useLimitTitle();
  const nameOf = (name: string) => titleOf?.(decision.apiKey, name) ?? name;
  return (
    <>
      <DecisionFacts decision={decision} timeZone={timeZone} nameOf={nameOf} />
      <DecidingRule rule={explanation.rule} />
      <PassingRequest explanation={explanation} timeZone={timeZone} nameOf={nameOf} />
      {limits.length > 0 && (
        <Panel title="Checked limits" note="Units left before and after the request" flush>
          <DataTable
            label="Checked limits"
            columns={['Limit', 'Result', numeric('Left before'), numeric('Left after')]}
          >
            {limits.map(({ limitName, label, mode, success, limit, before, after }) => (
              <tr key={`${limitName}/${label}/${mode}`}>
                <th scope="row">
                  {nameOf(limitName)} {label && <span className="tg-soft">{label}</span>}
                </th>
                <td>
                  <StateDot tone={success ? 'good' : 'bad'}>{success ? 'allowed' : 'denied'}</StateDot>
                </td>
                <NumericCell>{formatNumber(before)}</NumericCell>
                <NumericCell>{leftOf(after, limit)}</NumericCell>
              </tr>
            ))}
          </DataTable>
        </Panel>
      )}
      <PastLimit explanation={explanation} timeZone={timeZone} />
      {minute && <CounterMinute minute={minute} denied={isDenied(decision.outcome)} timeZone={timeZone} />}
    </>
  );
}

/** How the limit that decided was calculated then. */
function PastLimit({ explanation, timeZone }: PortalExplanationProps) {
  const { past, today, decision, limits, sharedBy } = explanation;
  if (decision.limitName == null) return null;
  if (!past) {
    return (
      <Panel title={sharedBy == null ? 'Your limit at that time' : 'A shared limit'}>
        {sharedBy == null
          ? 'How it was calculated is no longer stored.'
          : `${sharedBy} shares this limit with you. Its members see how it was calculated, and can raise it.`}
      </Panel>
    );
  }
  const { limit, tierName, since } = past;
  const amount = (value: number) => formatAmount({ ...ruleOf(limit.policy), limit: value });
  const now = today && formatAmount(ruleOf(today.policy));
  const then = amount(limit.policy.limit);
  const decided = limits.find(({ limitName, label }) => limitName === decision.limitName && !label)?.limit;
  return (
    <Panel
      title={`Your limit at that time: ${then}`}
      note={since ? `Since ${formatInstant(since, timeZone)}` : undefined}
    >
      <dl className={`tg-facts ${classes.steps}`}>
        <div>
          <dt>{tierName} plan</dt>
          <dd>{amount(limit.tierLimit)}</dd>
        </div>
        {limit.provenance.map(({ adjustmentId, label, source, to, until }) => (
          <div key={adjustmentId}>
            <dt>
              {label || LIMIT_SOURCE_TEXT[source]}
              {until && ` until ${formatDayInZone(until, timeZone)}`}
            </dt>
            <dd>{amount(to)}</dd>
          </div>
        ))}
      </dl>
      {decided !== undefined && decided !== limit.policy.limit && (
        <p className={classes.cause}>A rule for the caller applied to this request: {amount(decided)}.</p>
      )}
      <p className={classes.cause}>
        {now === null
          ? 'This limit no longer applies to you.'
          : now === then
            ? 'Unchanged today.'
            : `Today: ${now}.`}
      </p>
    </Panel>
  );
}
