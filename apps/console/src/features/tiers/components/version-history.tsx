import { Badge, Button, Collapse, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Panel } from '../../../components/page.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import { policiesOf, type TierDetail, type TierVersionDetail } from '../api/tier.js';
import { diffLimits } from '../limit-diff.js';
import { ChangeList } from './change-list.js';
import classes from './version-history.module.css';

interface VersionHistoryProps {
  tier: TierDetail;
  /** Takes a version's limits as edits, to be reviewed and published anew; left out for who may not. */
  onRevert: ((version: TierVersionDetail) => void) | undefined;
}

/** Every published version, newest first, each with what it changed. */
export function VersionHistory({ tier, onRevert }: VersionHistoryProps) {
  const t = useTranslations('tiers');
  const versions = tier.versions
    .filter(({ status }) => status !== 'DRAFT')
    .toSorted((a, b) => b.number - a.number);
  return (
    <Panel title={t('history')} note={t('versions', { count: versions.length })} flush>
      {versions.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          {t('noVersions')}
        </Text>
      )}
      <ol className={classes.versions}>
        {versions.map((version, i) => (
          <VersionItem
            key={version.id}
            tierKey={tier.key}
            version={version}
            previous={versions[i + 1]}
            onRevert={version.status === 'PUBLISHED' ? undefined : onRevert}
          />
        ))}
      </ol>
    </Panel>
  );
}

interface VersionItemProps {
  tierKey: string;
  version: TierVersionDetail;
  previous: TierVersionDetail | undefined;
  onRevert: VersionHistoryProps['onRevert'];
}

function VersionItem({ tierKey, version, previous, onRevert }: VersionItemProps) {
  const t = useTranslations('tiers');
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const changes = diffLimits(policiesOf(previous), policiesOf(version));
  const { number } = version;
  return (
    <li className={classes.version}>
      <div className={classes.line}>
        <span className={classes.number}>v{number}</span>
        {version.status === 'PUBLISHED' && <Badge color="gate">{t('current')}</Badge>}
        <Audience version={version} />
        <span className={classes.meta}>
          {version.publishedAt && (
            <time dateTime={version.publishedAt} title={formatMoment(version.publishedAt)}>
              {formatAgo(version.publishedAt)}
            </time>
          )}
          {version.automatic ? ` ${t('automatic')}` : ''}
          {version.publishedBy && ` ${t('by', { who: version.publishedBy })}`}
          {version.note && ` · “${version.note}”`}
          {version.tenantCount > 0 && ` · ${t('tenantsOn', { count: version.tenantCount })}`}
        </span>
        <span className={classes.actions}>
          {changes.length > 0 && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t('changesIn', { count: changes.length })}
            </Button>
          )}
          {onRevert && (
            <>
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={t('compareNamed', { number })}
                onClick={() =>
                  void navigate({ to: '/tiers/compare', search: { a: tierKey, av: number, b: tierKey } })
                }
              >
                {t('compare')}
              </Button>
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={t('revertNamed', { number })}
                onClick={() => onRevert(version)}
              >
                {t('revert')}
              </Button>
            </>
          )}
        </span>
      </div>
      <Collapse expanded={open}>
        <div className={classes.details}>
          <ChangeList changes={changes} />
        </div>
      </Collapse>
    </li>
  );
}

/** For whom it was, where that was not everybody. */
function Audience({ version: { audience, cohort } }: { version: TierVersionDetail }) {
  const t = useTranslations('tiers');
  if (audience === 'EVERYONE_NOW') return null;
  const text = { AT_PERIOD_END: t('forPeriod'), NEW_TENANTS_ONLY: t('forNew'), COHORT: t('forCohort') }[
    audience
  ];
  return <Badge color="gray">{cohort && cohort.percent > 0 ? `${text}, ${cohort.percent} %` : text}</Badge>;
}
