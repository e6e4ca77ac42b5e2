import { Checkbox, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CarryOverChoice } from '../../../components/carry-over-choice.js';
import { ChangeReview } from '../../../components/change-review.js';
import { GatedButton } from '../../../components/gated-button.js';
import { Panel } from '../../../components/page.js';
import type { CarryOver } from '../../../generated/graphql.js';
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
  const t = useTranslations('tiers');
  const [open, setOpen] = useState<'extend' | 'migrate'>();
  const behind = tier.versions.filter(({ status, tenantCount }) => status === 'ARCHIVED' && tenantCount > 0);
  const count = behind.reduce((sum, { tenantCount }) => sum + tenantCount, 0);
  if (count === 0 || !tier.published) return null;
  const { number } = tier.published;
  const dialog = { tier, number, onClose: () => setOpen(undefined), onMoving };
  return (
    <Panel
      title={t('rollout')}
      actions={
        <>
          <GatedButton permission="tiers:write" variant="default" onClick={() => setOpen('extend')}>
            {t('extend')}
          </GatedButton>
          <GatedButton permission="tiers:write" variant="default" onClick={() => setOpen('migrate')}>
            {t('migrate', { number })}
          </GatedButton>
        </>
      }
    >
      <Text size="sm">{t('rolloutText', { count })}</Text>
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
  const t = useTranslations('tiers');
  const { extend } = useTierChanges();
  const [choice, setChoice] = useState(EVERYONE);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const cohort = cohortOf(choice);
  const input = { tierKey: tier.key, carryOver, cohort: cohort ?? {} };
  return (
    <ChangeReview
      title={t('extendTitle', { number })}
      permission="tiers:write"
      call={{
        mutation: 'tierCohortExtend',
        inputType: 'TierCohortExtendInput',
        input,
        selection: 'tenants',
      }}
      incomplete={!cohort}
      send={({ reason, dryRun }) => extend({ ...input, reason, dryRun })}
      applyLabel={t('extend')}
      onClose={onClose}
      onApplied={({ tenants }) => {
        onClose();
        onMoving(tenants);
      }}
    >
      <CohortFields value={choice} onChange={setChoice} />
      <CarryOverChoice label={t('carryOver')} value={carryOver} onChange={setCarryOver} />
    </ChangeReview>
  );
}

function MigrateDialog({ tier, number, versions, onClose, onMoving }: DialogProps & { versions: number[] }) {
  const t = useTranslations('tiers');
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
      title={t('migrateTitle', { number })}
      permission="tiers:write"
      call={{ mutation: 'tierMigrate', inputType: 'TierMigrateInput', input, selection: 'tenants' }}
      send={({ reason, dryRun }) => migrate({ ...input, reason, dryRun })}
      applyLabel={t('migrate', { number })}
      onClose={onClose}
      onApplied={({ tenants }) => {
        onClose();
        onMoving(tenants);
      }}
    >
      <Select
        label={t('migrateFrom')}
        placeholder={t('migrateFromAny')}
        data={versions.map((version) => ({ value: String(version), label: `v${version}` }))}
        value={fromVersion === undefined ? null : String(fromVersion)}
        onChange={(value) => setFromVersion(value === null ? undefined : Number(value))}
        clearable
      />
      <Checkbox
        label={t('migratePinned')}
        checked={includePinned}
        onChange={(event) => setIncludePinned(event.currentTarget.checked)}
      />
      <CarryOverChoice label={t('carryOver')} value={carryOver} onChange={setCarryOver} />
    </ChangeReview>
  );
}
