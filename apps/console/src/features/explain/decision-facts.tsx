import type { ReactNode } from 'react';
import { KeyText } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import type { SubjectEffectKind } from '../../generated/graphql.js';
import { DECISION_REASON_TEXT } from '../../lib/labels.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatInstant } from '../../lib/time-format.js';
import { type Explanation, isDenied } from './api.js';
import classes from './explain.module.css';

/** Why it was allowed or denied. */
export function reasonText({
  reason,
  ruleId,
  limitName,
}: Pick<Explanation['decision'], 'reason' | 'ruleId' | 'limitName'>): string {
  if (reason !== 'BLOCKED') return DECISION_REASON_TEXT[reason];
  if (ruleId != null) return 'a rule denies the caller';
  return limitName != null ? 'blocked' : DECISION_REASON_TEXT.BLOCKED;
}

/** Units left of a limit; a burst can leave more than its number. */
export const leftOf = (left: number, limit: number): string =>
  left > limit ? formatNumber(left) : `${formatNumber(left)} of ${formatNumber(limit)}`;

interface VerdictProps {
  denied: boolean;
  reason: string;
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
        {reason}
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

const RULE_TEXT: Partial<Record<SubjectEffectKind, string>> = {
  DENY: 'are denied',
  EXEMPT: 'are exempt from limits',
};

/** The rule that denied or exempted the caller; nothing if none did. One that changed the limit is a step of its calculation. */
export function DecidingRule({ rule }: Pick<Explanation, 'rule'>) {
  if (!rule || !(rule.kind in RULE_TEXT)) return null;
  const { dimension, pattern, kind, forAllTenants, live } = rule;
  return (
    <Panel title="Rule that decided">
      Requests with {dimension} <KeyText>{pattern}</KeyText> {RULE_TEXT[kind]}
      {forAllTenants && ', of all tenants'}. {!live && 'The rule no longer applies.'}
    </Panel>
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
  const { apiKey, operation, limitName, retryAfter, cost, at, requestId } = decision;
  const denied = isDenied(decision.outcome);
  return (
    <Panel flush>
      <Verdict
        denied={denied}
        reason={reasonText(decision)}
        by={limitName == null ? undefined : nameOf(limitName)}
      />
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
