import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { ChangeReview } from '../../../components/change-review.js';
import type { TierDetail } from '../api/tier.js';
import { useTierChanges } from '../api/tier-change.js';

const STEP_LABEL = { archive: 'Archive', delete: 'Delete', restore: 'Restore' } as const;

const STEP_HINT = {
  archive: 'No new tenants can join. Existing tenants are unaffected. You can restore it later.',
  delete: 'It was never published and has no tenants. Deletes its draft too.',
  restore: 'Tenants can join it again.',
} as const;

export type TierStep = 'archive' | 'restore' | 'delete';

interface TierLifecycleProps {
  tier: TierDetail;
  step: TierStep;
  onClose: () => void;
}

const MUTATIONS = { archive: 'tierArchive', restore: 'tierRestore', delete: 'tierDelete' } as const;

/** Archives, restores or deletes a tier, after saying what that means. */
export function TierLifecycle({ tier, step, onClose }: TierLifecycleProps) {
  const navigate = useNavigate();
  const changes = useTierChanges();
  const input = { tierKey: tier.key, expectedVersion: tier.version };
  return (
    <ChangeReview
      title={
        {
          archive: `Archive ${tier.name}`,
          delete: `Delete ${tier.name}`,
          restore: `Restore ${tier.name}`,
        }[step]
      }
      permission="tiers:write"
      call={{ mutation: MUTATIONS[step], inputType: 'TierLifecycleInput', input, selection: '' }}
      send={({ reason, dryRun }) => changes[step]({ ...input, reason, dryRun })}
      applyLabel={STEP_LABEL[step]}
      danger={step !== 'restore'}
      onClose={onClose}
      onApplied={() => {
        onClose();
        if (step === 'delete') void navigate({ to: '/tiers' });
      }}
    >
      <Text size="sm">{STEP_HINT[step]}</Text>
    </ChangeReview>
  );
}
