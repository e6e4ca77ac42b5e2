import { Alert, Button, Group } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { GatedButton } from '../../../components/gated-button.js';
import { plural } from '../../../lib/number-format.js';
import { ownPoliciesOf, type TierDetail } from '../api/tier.js';
import { useTierDraftDiscard } from '../api/tier-draft-discard.js';
import { diffLimits } from '../limit-diff.js';

/** A draft that was saved but never published: go on with it, or throw it away. */
export function DraftBanner({ tier, onResume }: { tier: TierDetail; onResume: () => void }) {
  const t = useTranslations('tiers.draftBanner');
  const discard = useTierDraftDiscard();
  if (!tier.draft) return null;
  const differences = diffLimits(ownPoliciesOf(tier.published), ownPoliciesOf(tier.draft)).length;
  return (
    <Alert
      color="ochre"
      icon={<IconPencil size={18} aria-hidden />}
      title={t('draftVNumberWas', { number: String(tier.draft.number) })}
    >
      {differences === 0
        ? t('itEqualsWhatIs')
        : t('itHoldsChange', { change: plural(differences, 'change') })}
      {tier.draft.note && t('noteNote', { note: tier.draft.note })}
      {discard.error && t('itWasNotDiscarded', { message: discard.error.message })}
      <Group gap="xs" mt="xs">
        {differences > 0 && <Button onClick={onResume}>{t('resume')}</Button>}
        <GatedButton
          permission="tiers:write"
          variant="default"
          loading={discard.isPending}
          onClick={() => discard.mutate({ tierKey: tier.key, expectedVersion: tier.version })}
        >
          {t('discardDraft')}
        </GatedButton>
      </Group>
    </Alert>
  );
}
