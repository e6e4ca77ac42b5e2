import type { ReactNode } from 'react';
import { KeyText } from '../../../components/key-text.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { DECISION_REASON_TEXT } from '../../../lib/labels.js';
import { plural } from '../../../lib/number-format.js';
import { formatInstant } from '../../../lib/time-format.js';
import type { Decision } from '../api/why.js';
import { isRefused } from '../decision-verdict.js';
import classes from './explain.module.css';

/** What was decided, and about what. Times by the clock of the tenant. */
export function DecisionView({ decision, timeZone }: { decision: Decision; timeZone: string }) {
  const { tenantKey, apiKey, operation, limitName, reason, subject, retryAfter } = decision;
  const refused = isRefused(decision.outcome);
  return (
    <Panel flush>
      <div className={classes.verdict} role="status">
        <span className={classes.word} data-refused={refused || undefined}>
          {refused ? 'Denied' : 'Allowed'}
        </span>
        <span>
          {DECISION_REASON_TEXT[reason]}
          {limitName && (
            <span className={classes.soft}>
              {' '}
              by {limitName} of {apiKey}
            </span>
          )}
        </span>
      </div>
      <dl className={classes.facts}>
        <Fact name="Tenant">
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }}>
            {tenantKey}
          </LinkAnchor>
        </Fact>
        <Fact name="Operation">
          {operation} <span className={classes.soft}>{apiKey}</span>
        </Fact>
        <Fact name="When">{formatInstant(decision.at, timeZone)}</Fact>
        <Fact name="Cost">{decision.cost}</Fact>
        <Fact name="Subject">
          {subject.length === 0
            ? 'none'
            : subject.map(({ dimension, pseudonym }) => `${dimension} ${pseudonym.slice(0, 8)}`).join(', ')}
        </Fact>
        {refused && retryAfter != null && <Fact name="Retry after">{plural(retryAfter, 'second')}</Fact>}
        <Fact name="Node">{decision.nodeId}</Fact>
        <Fact name="Revision">{decision.revision}</Fact>
        <Fact name="Request">
          <KeyText>{decision.requestId}</KeyText>
        </Fact>
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
