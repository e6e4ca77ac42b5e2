import { Alert, Button, Group } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { GatedButton } from '../../../components/buttons.js';
import { plural } from '../../../lib/number-format.js';
import { ownPoliciesOf, type TierDetail } from '../api/tier.js';
import { useTierDraftDiscard } from '../api/tier-draft-discard.js';
import { diffLimits } from '../limit-diff.js';

/** A draft that was saved but never published: go on with it, or throw it away. */
export function DraftBanner({ tier, onResume }: { tier: TierDetail; onResume: () => void }) {
  const discard = useTierDraftDiscard();
  if (!tier.draft) return null;
  const differences = diffLimits(ownPoliciesOf(tier.published), ownPoliciesOf(tier.draft)).length;
  return (
    <Alert
      color="ochre"
      icon={<IconPencil size={18} aria-hidden />}
      title={`Unpublished draft v${String(tier.draft.number)}`}
    >
      {differences === 0 ? 'Same as the published version.' : `Contains ${plural(differences, 'change')}.`}
      {tier.draft.note && ` Note: ${tier.draft.note}`}
      {discard.error && ` Not discarded: ${discard.error.message}`}
      <Group gap="xs" mt="xs">
        {differences > 0 && <Button onClick={onResume}>Resume</Button>}
        <GatedButton
          permission="tiers:write"
          variant="default"
          loading={discard.isPending}
          onClick={() => discard.mutate({ tierKey: tier.key, expectedVersion: tier.version })}
        >
          Discard draft
        </GatedButton>
      </Group>
    </Alert>
  );
}
