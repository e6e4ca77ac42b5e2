import type { ReactNode } from 'react';
import { LinkAnchor } from '../../../components/link.js';
import { formatNumber } from '../../../lib/number-format.js';
import type { RefusedTenant } from '../decision-window.js';
import classes from './live.module.css';

interface RefusedRanksProps {
  /** Most refused first: it is what the bars are measured by. */
  tenants: readonly RefusedTenant[];
  /** Before a tenant's number: another way on. */
  aside?: (tenant: string) => ReactNode;
}

/** Tenants by how often they were refused; each leads to its page. */
export function RefusedRanks({ tenants, aside }: RefusedRanksProps) {
  const top = tenants[0]?.refused ?? 1;
  return (
    <ol className={classes.ranks}>
      {tenants.map(({ tenant, refused }) => (
        <li key={tenant} className={classes.rank}>
          <LinkAnchor to="/tenants/$tenantKey" params={{ tenantKey: tenant }} c="inherit" fw={500} truncate>
            {tenant}
          </LinkAnchor>
          <span className="tg-number">
            {aside?.(tenant)}
            {formatNumber(refused)}
          </span>
          <span className={classes.track} aria-hidden="true">
            <span className={classes.bar} style={{ width: `${Math.max(2, (refused / top) * 100)}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}
