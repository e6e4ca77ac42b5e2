import { Badge, Box, Button, Checkbox, Collapse, Group, Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { ChangeReview } from '../../components/change-review.js';
import { ChangeList } from '../../components/differences.js';
import { CarryOverChoice } from '../../components/fields.js';
import { Ago } from '../../components/figures.js';
import { EmptyText, Panel } from '../../components/page.js';
import type { CarryOver } from '../../generated/graphql.js';
import { diffLimits } from '../../lib/limit-diff.js';
import { useReviewedMutation } from '../../lib/mutation.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import {
  policiesOf,
  TierCohortExtendDocument,
  type TierDetail,
  TierMigrateDocument,
  type TierVersionDetail,
  tiersQuery,
} from './api.js';
import { CohortFields, cohortOf, EVERYONE } from './tier-review.js';
import classes from './tiers.module.css';

interface RolloutPanelProps {
  tier: TierDetail;
  onMoving: (tenants: number) => void;
}

/** Tenants on earlier versions, with ways to move them; renders nothing without any. */
export function RolloutPanel({ tier, onMoving }: RolloutPanelProps) {
  const [open, setOpen] = useState<'extend' | 'migrate'>();
  const behind = tier.versions.filter(({ status, tenantCount }) => status === 'ARCHIVED' && tenantCount > 0);
  const count = behind.reduce((sum, { tenantCount }) => sum + tenantCount, 0);
  if (count === 0 || !tier.published) return null;
  const { number } = tier.published;
  const dialog = { tier, number, onClose: () => setOpen(undefined), onMoving };
  return (
    <Panel
      title="Tenants on earlier versions"
      actions={
        <>
          <GatedButton permission="tiers:write" variant="default" onClick={() => setOpen('extend')}>
            Expand rollout
          </GatedButton>
          <GatedButton permission="tiers:write" variant="default" onClick={() => setOpen('migrate')}>
            Move all to v{formatNumber(number)}
          </GatedButton>
        </>
      }
    >
      <Text size="sm">
        {plural(count, 'tenant is', 'tenants are')} on an earlier version, because of a rollout or a pin.
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {behind.map((version) => `v${version.number}: ${version.tenantCount}`).join(' · ')}
      </Text>
      {open === 'extend' && <ExtendDialog {...dialog} />}
      {open === 'migrate' && <MigrateDialog {...dialog} versions={behind.map((version) => version.number)} />}
    </Panel>
  );
}

interface DialogProps extends RolloutPanelProps {
  number: number;
  onClose: () => void;
}

function ExtendDialog({ tier, number, onClose, onMoving }: DialogProps) {
  const [choice, setChoice] = useState(EVERYONE);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const cohort = cohortOf(choice);
  const input = { tierKey: tier.key, carryOver, cohort: cohort ?? {} };
  return (
    <ChangeReview
      title={`Expand the rollout of v${formatNumber(number)}`}
      permission="tiers:write"
      {...useReviewedMutation(TierCohortExtendDocument, input, tiersQuery.queryKey)}
      incomplete={!cohort}
      applyLabel="Expand rollout"
      onClose={onClose}
      onApplied={({ tenants }) => {
        onClose();
        onMoving(tenants);
      }}
    >
      <CohortFields value={choice} onChange={setChoice} />
      <CarryOverChoice value={carryOver} onChange={setCarryOver} />
    </ChangeReview>
  );
}

function MigrateDialog({ tier, number, versions, onClose, onMoving }: DialogProps & { versions: number[] }) {
  const [fromVersion, setFromVersion] = useState<number>();
  const [includePinned, setIncludePinned] = useState(false);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const input = {
    ...{ tierKey: tier.key, carryOver, includePinned },
    ...(fromVersion === undefined ? {} : { fromVersion }),
  };
  return (
    <ChangeReview
      title={`Move tenants to v${formatNumber(number)}`}
      permission="tiers:write"
      {...useReviewedMutation(TierMigrateDocument, input, tiersQuery.queryKey)}
      applyLabel={`Move all to v${formatNumber(number)}`}
      onClose={onClose}
      onApplied={({ tenants }) => {
        onClose();
        onMoving(tenants);
      }}
    >
      <Select
        label="From version"
        placeholder="Any earlier version"
        data={versions.map((version) => ({ value: String(version), label: `v${version}` }))}
        value={fromVersion === undefined ? null : String(fromVersion)}
        onChange={(value) => setFromVersion(value === null ? undefined : Number(value))}
        clearable
      />
      <Checkbox
        label="Include pinned tenants"
        checked={includePinned}
        onChange={(event) => setIncludePinned(event.currentTarget.checked)}
      />
      <CarryOverChoice value={carryOver} onChange={setCarryOver} />
    </ChangeReview>
  );
}

interface VersionHistoryProps {
  tier: TierDetail;
  /** Loads the limits of a version as edits; omitted without permission. */
  onRevert: ((version: TierVersionDetail) => void) | undefined;
}

export function VersionHistory({ tier, onRevert }: VersionHistoryProps) {
  const versions = tier.versions
    .filter(({ status }) => status !== 'DRAFT')
    .toSorted((a, b) => b.number - a.number);
  return (
    <Panel title="History" note={plural(versions.length, 'version')} flush>
      {versions.length === 0 && (
        <EmptyText>Nothing published yet. Versions appear here when you apply limits.</EmptyText>
      )}
      <ol className="tg-list">
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
  const { number, status, publishedAt, publishedBy, automatic, note, tenantCount } = version;
  const subtle = { variant: 'subtle', color: 'gray', size: 'compact-xs' } as const;
  return (
    <li className={classes.version}>
      <Group gap="4px 10px" px={16} py={10} fz="sm">
        <Text span inherit fw={600} className="tg-number">
          v{number}
        </Text>
        {status === 'PUBLISHED' && <Badge color="gate">current</Badge>}
        <Audience version={version} />
        <span className="tg-soft" style={{ overflowWrap: 'anywhere' }}>
          {publishedAt && <Ago at={publishedAt} />}
          {automatic && ' by a change of API defaults'}
          {publishedBy && ` by ${publishedBy}`}
          {note && ` · “${note}”`}
          {tenantCount > 0 && ` · ${plural(tenantCount, 'tenant')}`}
        </span>
        <Group gap={2} ml="auto">
          {changes.length > 0 && (
            <Button {...subtle} aria-expanded={open} onClick={() => setOpen(!open)}>
              {plural(changes.length, 'change')}
            </Button>
          )}
          {onRevert && (
            <>
              <Button
                {...subtle}
                aria-label={`Compare version ${formatNumber(number)}`}
                onClick={() =>
                  void navigate({ to: '/tiers/compare', search: { a: tierKey, av: number, b: tierKey } })
                }
              >
                Compare
              </Button>
              <Button
                {...subtle}
                aria-label={`Revert to version ${formatNumber(number)}`}
                onClick={() => onRevert(version)}
              >
                Revert
              </Button>
            </>
          )}
        </Group>
      </Group>
      <Collapse expanded={open}>
        <Box px={16} pt={2} pb={16} maw={640}>
          <ChangeList changes={changes} />
        </Box>
      </Collapse>
    </li>
  );
}

/** Rollout of a version, unless it is for everyone. */
function Audience({ version: { audience, cohort } }: { version: TierVersionDetail }) {
  if (audience === 'EVERYONE_NOW') return null;
  const text = { AT_PERIOD_END: 'at renewal', NEW_TENANTS_ONLY: 'new tenants', COHORT: 'gradual rollout' }[
    audience
  ];
  return <Badge color="gray">{cohort && cohort.percent > 0 ? `${text}, ${cohort.percent} %` : text}</Badge>;
}
