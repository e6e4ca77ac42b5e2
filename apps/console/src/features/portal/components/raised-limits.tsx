import { formatNumber } from '../../../lib/number-format.js';
import type { PortalTenant } from '../api/portal-tenant.js';
import classes from './portal.module.css';

/** The limits that what is called so raises, as they are enforced now; null while it raises none. */
export function RaisedLimits({ tenant, label }: { tenant: PortalTenant; label: string }) {
  const raised = tenant.effectiveLimits.flatMap(({ limit, provenance }) => {
    const step = provenance.findLast((one) => one.label === label);
    return step ? [{ name: limit.policy.name, api: limit.policy.api, step }] : [];
  });
  return (
    <>
      Raised limits:
      <ul className={classes.raised}>
        {raised.map(({ name, api, step }) => (
          <li key={`${api}/${name}`}>
            {name} <span className={classes.kind}>{api}</span> {formatNumber(step.from)} →{' '}
            <strong>{formatNumber(step.to)}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether what is called so raises any limit of the tenant by now. */
export const isRaisedBy = (tenant: PortalTenant, label: string): boolean =>
  tenant.effectiveLimits.some(({ provenance }) => provenance.some((step) => step.label === label));
