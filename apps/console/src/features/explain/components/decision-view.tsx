import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { KeyText } from '../../../components/key-text.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { formatInstant } from '../../../lib/time-format.js';
import type { Decision } from '../api/why.js';
import { isRefused } from '../decision-verdict.js';
import classes from './explain.module.css';

/** What was decided, and about what. Times by the clock of the tenant. */
export function DecisionView({ decision, timeZone }: { decision: Decision; timeZone: string }) {
  const t = useTranslations('explain');
  const { tenantKey, apiKey, operation, limitName, reason, subject, retryAfter } = decision;
  const refused = isRefused(decision.outcome);
  return (
    <Panel flush>
      <div className={classes.verdict} role="status">
        <span className={classes.word} data-refused={refused || undefined}>
          {refused ? t('refused') : t('allowed')}
        </span>
        <span>
          {t(`reasons.${reason}`)}
          {limitName && <span className={classes.soft}> {t('by', { limit: limitName, api: apiKey })}</span>}
        </span>
      </div>
      <dl className={classes.facts}>
        <Fact name={t('tenant')}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey }}>
            {tenantKey}
          </LinkAnchor>
        </Fact>
        <Fact name={t('operation')}>
          {operation} <span className={classes.soft}>{apiKey}</span>
        </Fact>
        <Fact name={t('when')}>{formatInstant(decision.at, timeZone)}</Fact>
        <Fact name={t('cost')}>{decision.cost}</Fact>
        <Fact name={t('subject')}>
          {subject.length === 0
            ? t('noSubject')
            : subject.map(({ dimension, pseudonym }) => `${dimension} ${pseudonym.slice(0, 8)}`).join(', ')}
        </Fact>
        {refused && retryAfter != null && (
          <Fact name={t('retryAfter')}>{t('seconds', { count: retryAfter })}</Fact>
        )}
        <Fact name={t('node')}>{decision.nodeId}</Fact>
        <Fact name={t('revision')}>{decision.revision}</Fact>
        <Fact name={t('request')}>
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
