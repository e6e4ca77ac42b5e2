import { Button, Collapse, Text } from '@mantine/core';
import { IconChevronDown, IconInfinity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { LimitLadder } from '../../components/limit-ladder.js';
import { LinkAnchor } from '../../components/links.js';
import { EmptyState, Panel } from '../../components/page.js';
import { LIMIT_SOURCE_TEXT } from '../../lib/labels.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { describeReach } from '../../lib/limit-text.js';
import { formatAmount } from '../../lib/rate.js';
import type { EffectiveLimitDetail, TenantDetail } from './api.js';
import { type BoardLimit, limitUtilizationQuery } from './board-api.js';
import { LimitPeaks } from './limit-peaks.js';
import { SubjectLimits } from './subject-limits.js';
import classes from './tenants.module.css';
import { LimitUtilization } from './utilization-cells.js';

interface EffectiveLimitsProps {
  tenant: TenantDetail;
  actionsFor?: (limit: EffectiveLimitDetail) => ReactNode;
}

export function EffectiveLimits({ tenant, actionsFor }: EffectiveLimitsProps) {
  const { data: states } = useQuery(limitUtilizationQuery(tenant.key));
  const ranks = new Map(states?.map(({ apiKey, limitName }, rank) => [`${apiKey} ${limitName}`, rank]));
  const rankOf = ({ limit: { policy } }: EffectiveLimitDetail) =>
    ranks.get(`${policy.api} ${policy.name}`) ?? ranks.size;
  const limits = tenant.effectiveLimits.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      a.limit.policy.api.localeCompare(b.limit.policy.api) ||
      a.limit.policy.name.localeCompare(b.limit.policy.name),
  );
  const [asking, setAsking] = useState(false);
  return (
    <Panel
      title="Effective limits"
      note="Fullest first: busiest window of the last hour for rates, current period for quotas"
      flush
      actions={
        <Button variant="default" onClick={() => setAsking(true)}>
          For a subject
        </Button>
      }
    >
      {asking && <SubjectLimits tenant={tenant} onClose={() => setAsking(false)} />}
      {limits.length === 0 && (
        <EmptyState icon={IconInfinity} title="No limits">
          The tier has no limits. This tenant can call every operation without limit.
        </EmptyState>
      )}
      <ul className="tg-list">
        {limits.map((effective) => (
          <EffectiveLimit
            // Keyed by name: a new version changes the IDs and must not close an open row.
            key={`${effective.limit.policy.api} ${effective.limit.policy.name}`}
            effective={effective}
            state={states?.[rankOf(effective)]}
            tenant={tenant}
            actions={actionsFor?.(effective)}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface EffectiveLimitProps {
  effective: EffectiveLimitDetail;
  /** Undefined while it loads, and for limits in shadow mode. */
  state: BoardLimit | undefined;
  tenant: TenantDetail;
  actions: ReactNode;
}

function EffectiveLimit({ effective, state, tenant, actions }: EffectiveLimitProps) {
  const [open, setOpen] = useState(false);
  const ladderId = useId();
  const { limit, source } = effective;
  const { api, name, operations } = limit.policy;
  const { tier, tierVersion } = tenant.subscription;
  const from = `from ${LIMIT_SOURCE_TEXT[source].toLowerCase()}`;
  const what = operations.length === 0 ? 'all operations' : operations.join(', ');
  const reach = describeReach(limit.policy);
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.limitTitle}>
          <span className={classes.limitRate}>{formatAmount(ruleOf(limit.policy))}</span>
          <span>
            {what}{' '}
            <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api }} c="dimmed" fw={400}>
              {api}
            </LinkAnchor>
            {reach && ` and ${reach}`}
          </span>
          <Button
            size="compact-xs"
            variant={source === 'TIER' || source === 'DEFAULT' ? 'default' : 'light'}
            rightSection={
              <IconChevronDown size={12} aria-hidden className={open ? classes.turned : undefined} />
            }
            aria-expanded={open}
            aria-controls={ladderId}
            aria-label={`${from}: how ${name}, ${api} was calculated`}
            onClick={() => setOpen(!open)}
          >
            {from}
          </Button>
        </div>
        <Text size="sm" c="dimmed" mt={2}>
          {limit.summary}
        </Text>
        {effective.clamped && (
          <Text size="sm" c="var(--mantine-color-ochre-7)">
            The result is too large. The largest supported value is enforced.
          </Text>
        )}
      </div>
      <div className={classes.counter}>
        {state && <LimitUtilization limit={state} policy={limit.policy} />}
      </div>
      <Collapse expanded={open} id={ladderId} className={classes.ladderPlace}>
        <LimitLadder
          {...effective}
          policy={limit.policy}
          tenantKey={tenant.key}
          tier={{ ...tier, version: tierVersion.number }}
          timeZone={tenant.timeZone}
        />
        {open && state?.resetsAt == null && (
          <LimitPeaks tenantKey={tenant.key} apiKey={api} limitName={name} />
        )}
        {actions && <div className={classes.limitActions}>{actions}</div>}
      </Collapse>
    </li>
  );
}
