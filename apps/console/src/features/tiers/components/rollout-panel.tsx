import { Checkbox, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { GatedButton } from '../../../components/buttons.js';
import { ChangeReview } from '../../../components/change-review.js';
import { CarryOverChoice } from '../../../components/fields.js';
import { Panel } from '../../../components/page.js';
import type { CarryOver } from '../../../generated/graphql.js';
import { formatNumber, plural } from '../../../lib/number-format.js';
import type { TierDetail } from '../api/tier.js';
import { useTierChanges } from '../api/tier-change.js';
import { cohortOf, EVERYONE } from '../audience.js';
import { CohortFields } from './cohort-fields.js';

interface RolloutPanelProps {
  tier: TierDetail;
  onMoving: (tenants: number) => void;
}

/** Tenants that a publication has not reached, and the ways to let them follow; nothing where there are none. */
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

interface DialogProps {
  tier: TierDetail;
  number: number;
  onClose: () => void;
  onMoving: (tenants: number) => void;
}

function ExtendDialog({ tier, number, onClose, onMoving }: DialogProps) {
  const { extend } = useTierChanges();
  const [choice, setChoice] = useState(EVERYONE);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const cohort = cohortOf(choice);
  const input = { tierKey: tier.key, carryOver, cohort: cohort ?? {} };
  return (
    <ChangeReview
      title={`Expand the rollout of v${formatNumber(number)}`}
      permission="tiers:write"
      call={{
        mutation: 'tierCohortExtend',
        inputType: 'TierCohortExtendInput',
        input,
        selection: 'tenants',
      }}
      incomplete={!cohort}
      send={({ reason, dryRun }) => extend({ ...input, reason, dryRun })}
      applyLabel="Expand rollout"
      onClose={onClose}
      onApplied={({ tenants }) => {
        onClose();
        onMoving(tenants);
      }}
    >
      <CohortFields value={choice} onChange={setChoice} />
      <CarryOverChoice label="Existing usage" value={carryOver} onChange={setCarryOver} />
    </ChangeReview>
  );
}

function MigrateDialog({ tier, number, versions, onClose, onMoving }: DialogProps & { versions: number[] }) {
  const { migrate } = useTierChanges();
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
      call={{ mutation: 'tierMigrate', inputType: 'TierMigrateInput', input, selection: 'tenants' }}
      send={({ reason, dryRun }) => migrate({ ...input, reason, dryRun })}
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
      <CarryOverChoice label="Existing usage" value={carryOver} onChange={setCarryOver} />
    </ChangeReview>
  );
}
