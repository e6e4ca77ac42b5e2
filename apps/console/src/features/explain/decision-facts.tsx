import type { ReactNode } from 'react';
import { KeyText } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import { DECISION_REASON_TEXT } from '../../lib/labels.js';
import { plural } from '../../lib/number-format.js';
import { formatInstant } from '../../lib/time-format.js';
import { type Explanation, isDenied } from './api.js';
import classes from './explain.module.css';

interface VerdictProps {
  denied: boolean;
  reason: keyof typeof DECISION_REASON_TEXT;
  /** The limit that decided. */
  by?: string | undefined;
}

/** Whether a request was allowed, and why. */
export function Verdict({ denied, reason, by }: VerdictProps) {
  return (
    <div className={classes.verdict} role="status">
      <span className={classes.word} data-denied={denied || undefined}>
        {denied ? 'Denied' : 'Allowed'}
      </span>
      <span>
        {DECISION_REASON_TEXT[reason]}
        {by && <span className="tg-soft"> by {by}</span>}
      </span>
    </div>
  );
}

export const FactList = ({ children }: { children: ReactNode }) => (
  <dl className={`tg-facts ${classes.facts}`}>{children}</dl>
);

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface DecisionFactsProps {
  decision: Explanation['decision'];
  timeZone: string;
  /** How limits are named. */
  nameOf: (limitName: string) => string;
}

/** A decision for the customer who sent the request. */
export function DecisionFacts({ decision, timeZone, nameOf }: DecisionFactsProps) {
  const { apiKey, operation, limitName, reason, retryAfter, cost, at, requestId } = decision;
  const denied = isDenied(decision.outcome);
  return (
    <Panel flush>
      <Verdict denied={denied} reason={reason} by={limitName == null ? undefined : nameOf(limitName)} />
      <FactList>
        <Fact name="Operation">
          {operation} <span className="tg-soft">{apiKey}</span>
        </Fact>
        <Fact name="When">{formatInstant(at, timeZone)}</Fact>
        <Fact name="Cost">{cost}</Fact>
        {denied && retryAfter != null && <Fact name="Retry after">{plural(retryAfter, 'second')}</Fact>}
        <Fact name="Request">
          <KeyText>{requestId}</KeyText>
        </Fact>
      </FactList>
    </Panel>
  );
}
