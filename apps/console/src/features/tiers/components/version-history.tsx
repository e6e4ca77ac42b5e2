import { Badge, Button, Collapse, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Panel } from '../../../components/page.js';
import { formatNumber, plural } from '../../../lib/number-format.js';
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
  const versions = tier.versions
    .filter(({ status }) => status !== 'DRAFT')
    .toSorted((a, b) => b.number - a.number);
  return (
    <Panel title="History" note={plural(versions.length, 'version')} flush>
      {versions.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          Nothing published yet. Versions appear here when you apply limits.
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
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const changes = diffLimits(policiesOf(previous), policiesOf(version));
  const { number } = version;
  return (
    <li className={classes.version}>
      <div className={classes.line}>
        <span className={classes.number}>v{number}</span>
        {version.status === 'PUBLISHED' && <Badge color="gate">current</Badge>}
        <Audience version={version} />
        <span className={classes.meta}>
          {version.publishedAt && (
            <time dateTime={version.publishedAt} title={formatMoment(version.publishedAt)}>
              {formatAgo(version.publishedAt)}
            </time>
          )}
          {version.automatic ? ` by a change of API defaults` : ''}
          {version.publishedBy && ` ${`by ${version.publishedBy}`}`}
          {version.note && ` · “${version.note}”`}
          {version.tenantCount > 0 && ` · ${plural(version.tenantCount, 'tenant')}`}
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
              {plural(changes.length, 'change')}
            </Button>
          )}
          {onRevert && (
            <>
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={`Compare version ${formatNumber(number)}`}
                onClick={() =>
                  void navigate({ to: '/tiers/compare', search: { a: tierKey, av: number, b: tierKey } })
                }
              >
                Compare
              </Button>
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={`Revert to version ${formatNumber(number)}`}
                onClick={() => onRevert(version)}
              >
                Revert to this
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
  if (audience === 'EVERYONE_NOW') return null;
  const text = { AT_PERIOD_END: 'at renewal', NEW_TENANTS_ONLY: 'new tenants', COHORT: 'gradual rollout' }[
    audience
  ];
  return <Badge color="gray">{cohort && cohort.percent > 0 ? `${text}, ${cohort.percent} %` : text}</Badge>;
}
