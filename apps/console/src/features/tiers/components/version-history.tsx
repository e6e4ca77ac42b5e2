import { Badge, Button, Collapse, Text } from '@mantine/core';
import { useState } from 'react';
import { Panel } from '../../../components/page.js';
import { plural } from '../../../lib/number-format.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import type { TierDetail, TierVersionDetail } from '../api/tier.js';
import { diffLimits } from '../limit-diff.js';
import { ChangeList } from './change-list.js';
import classes from './version-history.module.css';

/** Every published version, newest first, each with what it changed. */
export function VersionHistory({ tier }: { tier: TierDetail }) {
  const versions = tier.versions
    .filter(({ status }) => status !== 'DRAFT')
    .toSorted((a, b) => b.number - a.number);
  return (
    <Panel title="History" note={plural(versions.length, 'version')} flush>
      {versions.length === 0 && (
        <Text c="dimmed" size="sm" p="md">
          Nothing has been published. The first version appears here when you apply limits.
        </Text>
      )}
      <ol className={classes.versions}>
        {versions.map((version, i) => (
          <VersionItem key={version.id} version={version} previous={versions[i + 1]} />
        ))}
      </ol>
    </Panel>
  );
}

function VersionItem({
  version,
  previous,
}: {
  version: TierVersionDetail;
  previous: TierVersionDetail | undefined;
}) {
  const [open, setOpen] = useState(false);
  const changes = diffLimits(previous?.limits ?? [], version.limits);
  return (
    <li className={classes.version}>
      <div className={classes.line}>
        <span className={classes.number}>v{version.number}</span>
        {version.status === 'PUBLISHED' && <Badge color="gate">current</Badge>}
        <span className={classes.meta}>
          {version.publishedAt && (
            <time dateTime={version.publishedAt} title={formatMoment(version.publishedAt)}>
              {formatAgo(version.publishedAt)}
            </time>
          )}
          {version.publishedBy && ` by ${version.publishedBy}`}
          {version.note && ` · “${version.note}”`}
        </span>
        {changes.length > 0 && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            ml="auto"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {plural(changes.length, 'change')}
          </Button>
        )}
      </div>
      <Collapse expanded={open}>
        <div className={classes.details}>
          <ChangeList changes={changes} />
        </div>
      </Collapse>
    </li>
  );
}
