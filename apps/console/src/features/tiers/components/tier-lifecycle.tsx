import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { ChangeReview } from '../../../components/change-review.js';
import type { TierDetail } from '../api/tier.js';
import { useTierChanges } from '../api/tier-change.js';

export type TierStep = 'archive' | 'restore' | 'delete';

interface TierLifecycleProps {
  tier: TierDetail;
  step: TierStep;
  onClose: () => void;
}

const MUTATIONS = { archive: 'tierArchive', restore: 'tierRestore', delete: 'tierDelete' } as const;

/** Archives, restores or deletes a tier, after saying what that means. */
export function TierLifecycle({ tier, step, onClose }: TierLifecycleProps) {
  const t = useTranslations('tiers');
  const navigate = useNavigate();
  const changes = useTierChanges();
  const input = { tierKey: tier.key, expectedVersion: tier.version };
  return (
    <ChangeReview
      title={t(`${step}Title`, { tier: tier.name })}
      permission="tiers:write"
      call={{ mutation: MUTATIONS[step], inputType: 'TierLifecycleInput', input, selection: '' }}
      send={({ reason, dryRun }) => changes[step]({ ...input, reason, dryRun })}
      applyLabel={t(step)}
      danger={step !== 'restore'}
      onClose={onClose}
      onApplied={() => {
        onClose();
        if (step === 'delete') void navigate({ to: '/tiers' });
      }}
    >
      <Text size="sm">{t(`${step}Text`)}</Text>
    </ChangeReview>
  );
}
