import { VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { formatAmount } from '../../../lib/limit-amount.js';
import { ruleOf } from '../../../lib/limit-rule.js';
import { formatNumber } from '../../../lib/number-format.js';
import { formatDayInZone } from '../../../lib/time-format.js';
import type { PortalLimit, PortalTenant } from '../api/portal-tenant.js';
import classes from './portal.module.css';

/** What a limit comes to, line by line as on a bill: the tier, what was bought, what was given. */
export function LimitBill({ limit, tenant }: { limit: PortalLimit; tenant: PortalTenant }) {
  const t = useTranslations('portal');
  const { policy } = limit.limit;
  const total = formatAmount(ruleOf(policy));
  return (
    <table className={classes.bill}>
      <caption>
        <VisuallyHidden>{t('bill', { name: policy.name, total })}</VisuallyHidden>
      </caption>
      <tbody>
        <tr>
          <th scope="row">{t('base', { tier: tenant.subscription.tier.name })}</th>
          <td>{formatNumber(limit.tierLimit)}</td>
        </tr>
        {limit.provenance.map(({ adjustmentId, label, source, from, to, until }) => (
          <tr key={adjustmentId}>
            <th scope="row">
              <span className={classes.kind}>{t(source)}</span> {label}
              {until && (
                <span className={classes.kind}>
                  {' '}
                  ({t('until', { at: formatDayInZone(until, tenant.timeZone) })})
                </span>
              )}
            </th>
            <td>{formatStep(from, to)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('total')}</th>
          <td>= {total}</td>
        </tr>
      </tfoot>
    </table>
  );
}

const formatStep = (from: number, to: number): string =>
  to >= from ? `+${formatNumber(to - from)}` : `−${formatNumber(from - to)}`;
