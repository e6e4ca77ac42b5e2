import { Badge, Text } from '@mantine/core';
import { IconInfinity } from '@tabler/icons-react';
import { EmptyState, Panel } from '../../../components/page.js';
import { LIMIT_SOURCE_TEXT } from '../../../lib/labels.js';
import { ruleOf } from '../../../lib/limit-fields.js';
import { formatAmount } from '../../../lib/rate.js';
import type { PortalLimit, PortalTenant } from '../api/portal-tenant.js';
import { LimitBar, type QuotaForecast } from './limit-bar.js';
import { LimitBill } from './limit-bill.js';
import classes from './portal.module.css';

interface LimitsListProps {
  tenant: PortalTenant;
  /** What is known of the quotas among them. */
  forecasts: readonly QuotaForecast[];
}

/** One bar per limit: what it applies to, how much is used, when it is whole again, and what it is made of. */
export function LimitsList({ tenant, forecasts }: LimitsListProps) {
  const { name, timeZone, effectiveLimits } = tenant;
  const groups = Map.groupBy(effectiveLimits, ({ limit }) => limit.policy.api);
  return (
    <Panel title="Your limits" note={`Limits enforced for ${name}. Times in ${timeZone}.`} flush>
      {effectiveLimits.length === 0 && (
        <EmptyState icon={<IconInfinity size={30} stroke={1.5} aria-hidden />} title="No limits">
          You can call every operation without limit.
        </EmptyState>
      )}
      {[...groups].map(([api, limits]) => (
        <div key={api} className={classes.group}>
          <h3 className={classes.api}>{api}</h3>
          <ul className={classes.limits}>
            {limits.map((limit) => (
              <LimitItem key={limit.limit.id} limit={limit} tenant={tenant} forecasts={forecasts} />
            ))}
          </ul>
        </div>
      ))}
    </Panel>
  );
}

function LimitItem({ limit, tenant, forecasts }: LimitsListProps & { limit: PortalLimit }) {
  const { policy, summary } = limit.limit;
  const { api, name, operations } = policy;
  const forecast = forecasts.find(({ apiKey, limitName }) => apiKey === api && limitName === name);
  return (
    <li className={classes.limit}>
      <div>
        <div className={classes.title}>
          <span className={classes.amount}>{formatAmount(ruleOf(policy))}</span>
          <span>{operations.length === 0 ? 'all operations' : operations.join(', ')}</span>
          {limit.provenance.length > 0 && <Badge>{LIMIT_SOURCE_TEXT[limit.source]}</Badge>}
        </div>
        <Text size="sm" c="dimmed" mt={2}>
          {summary}
        </Text>
        {limit.provenance.length > 0 && <LimitBill limit={limit} tenant={tenant} />}
      </div>
      <LimitBar limit={limit} timeZone={tenant.timeZone} forecast={forecast} />
    </li>
  );
}
