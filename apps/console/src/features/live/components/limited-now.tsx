import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../../components/link.js';
import { Panel, RowsSkeleton } from '../../../components/page.js';
import { formatNumber } from '../../../lib/number-format.js';
import { type DecisionWindow, refusedMost } from '../decision-window.js';
import classes from './live.module.css';

const SHOWN = 6;

interface LimitedNowProps {
  window: DecisionWindow;
  endSecond: number;
  connecting: boolean;
}

/** Who is refused right now, most first; each leads to the tenant. */
export function LimitedNow({ window, endSecond, connecting }: LimitedNowProps) {
  const t = useTranslations('live');
  const tenants = refusedMost(window, endSecond).slice(0, SHOWN);
  const top = tenants[0]?.refused ?? 1;
  return (
    <Panel title={t('limitedNow')} note={t('limitedNote')} flush>
      {connecting && <RowsSkeleton rows={4} />}
      {!connecting && tenants.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          {t('nobody')}
        </Text>
      )}
      {tenants.length > 0 && (
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
              <span className="tg-number">{formatNumber(refused)}</span>
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
