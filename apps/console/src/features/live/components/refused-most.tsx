import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import { type DecisionWindow, refusedMost } from '../decision-window.js';
import classes from './live.module.css';

const SHOWN = 8;

/** The tenants that were refused most in the last minute; each leads to its page. */
export function RefusedMost({ window, endSecond }: { window: DecisionWindow; endSecond: number }) {
  const t = useTranslations('live.refusedMostPanel');
  const tenants = refusedMost(window, endSecond).slice(0, SHOWN);
  const top = tenants[0]?.refused ?? 1;
  return (
    <Panel title={t('refusedMost')} note={t('tenantsLast60Seconds')} flush>
      {tenants.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          {t('nobodyIsBeingRefused')}
        </Text>
      ) : (
        <ol className={classes.ranks}>
          {tenants.map(({ tenant, refused }) => (
            <li key={tenant} className={classes.rank}>
              <LinkAnchor
                to="/tenants/$tenantKey"
                params={{ tenantKey: tenant }}
                c="inherit"
                fw={500}
                truncate
              >
                {tenant}
              </LinkAnchor>
              <span className="tg-number">
                <LinkAnchor
                  to="/why"
                  search={{ q: tenant }}
                  c="dimmed"
                  aria-label={t('whyTenantIsRefused', { tenant })}
                >
                  {t('why')}
                </LinkAnchor>{' '}
                {formatNumber(refused)}
              </span>
              <span className={classes.track} aria-hidden="true">
                <span className={classes.bar} style={{ width: `${Math.max(2, (refused / top) * 100)}%` }} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
