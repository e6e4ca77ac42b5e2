import { VisuallyHidden } from '@mantine/core';
import { LIMIT_SOURCE_TEXT } from '../../../lib/labels.js';
import { ruleOf } from '../../../lib/limit-fields.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatAmount } from '../../../lib/rate.js';
import { formatDayInZone } from '../../../lib/time-format.js';
import type { PortalLimit, PortalTenant } from '../api/portal-tenant.js';
import classes from './portal.module.css';

/** What a limit comes to, line by line as on a bill: the tier, what was bought, what was given. */
export function LimitBill({ limit, tenant }: { limit: PortalLimit; tenant: PortalTenant }) {
  const { policy } = limit.limit;
  const total = formatAmount(ruleOf(policy));
  return (
    <table className={classes.bill}>
      <caption>
        <VisuallyHidden>
          How {policy.name} is calculated: {total}
        </VisuallyHidden>
      </caption>
      <tbody>
        <tr>
          <th scope="row">{tenant.subscription.tier.name} tier</th>
          <td>{formatNumber(limit.tierLimit)}</td>
        </tr>
        {limit.provenance.map(({ adjustmentId, label, source, from, to, until }) => (
          <tr key={adjustmentId}>
            <th scope="row">
              <span className={classes.kind}>{LIMIT_SOURCE_TEXT[source]}</span> {label}
              {until && (
                <span className={classes.kind}> (until {formatDayInZone(until, tenant.timeZone)})</span>
              )}
            </th>
            <td>{formatStep(from, to)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Effective limit</th>
          <td>= {total}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const formatStep = (from: number, to: number): string =>
  to >= from ? `+${formatNumber(to - from)}` : `−${formatNumber(from - to)}`;
