import { Badge, Text } from '@mantine/core';
import { IconInfinity } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { formatRate } from '../../../lib/rate.js';
import type { EffectiveLimitDetail, TenantDetail } from '../api/tenant.js';
import { LimitGauge } from './limit-gauge.js';
import classes from './tenants.module.css';

/** What applies to a tenant now, where it comes from, and how much of it is used. */
export function EffectiveLimits({ tenant }: { tenant: TenantDetail }) {
  const limits = tenant.effectiveLimits.toSorted(
    (a, b) => a.limit.apiKey.localeCompare(b.limit.apiKey) || a.limit.name.localeCompare(b.limit.name),
  );
  return (
    <Panel title="Effective limits" note="what the nodes enforce for this tenant now" flush>
      {limits.length === 0 && (
        <EmptyState icon={<IconInfinity size={30} stroke={1.5} aria-hidden />} title="Nothing is limited">
          The tier has no limits, so this tenant may call every operation as often as it likes.
        </EmptyState>
      )}
      <ul className={classes.limits}>
        {limits.map((effective) => (
          <EffectiveLimit key={effective.limit.id} effective={effective} tenant={tenant} />
        ))}
      </ul>
    </Panel>
  );
}

function EffectiveLimit({ effective, tenant }: { effective: EffectiveLimitDetail; tenant: TenantDetail }) {
  const { limit, live } = effective;
  const what = limit.operations.length === 0 ? 'all operations' : limit.operations.join(', ');
  const { tier } = tenant.subscription;
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.limitTitle}>
          <span className={classes.limitRate}>{formatRate(limit)}</span>
          <span>
            {what}{' '}
            <LinkAnchor to="/apis/$apiKey" params={{ apiKey: limit.apiKey }} c="dimmed" fw={400}>
              {limit.apiKey}
            </LinkAnchor>
          </span>
          <Badge color="gray">
            from tier {tier.name} v{tenant.subscription.tierVersion.number}
          </Badge>
        </div>
        <Text size="sm" c="dimmed" mt={2}>
          {limit.summary}
        </Text>
      </div>
      {live ? (
        <LimitGauge label={`${limit.name} on ${limit.apiKey}`} {...live} timeZone={tenant.timeZone} />
      ) : (
        <Text size="sm" c="dimmed">
          {limit.per.length > 0
            ? `Counted for each ${limit.per.join(' + ')} apart, so there is no single counter to show.`
            : 'The counter cannot be read at the moment.'}
        </Text>
      )}
    </li>
  );
}
