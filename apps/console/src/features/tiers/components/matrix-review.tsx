import { Badge, Group, Stack, Text } from '@mantine/core';
import { configOfPolicy } from '@tollgate/contracts';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { CarryOverChoice } from '../../../components/carry-over-choice.js';
import { ChangeReview } from '../../../components/change-review.js';
import type { CarryOver, TierPublishInput } from '../../../generated/graphql.js';
import { toLimitInput } from '../../../lib/limit-fields.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import type { TierPublished } from '../api/tier-publish.js';
import { useTierPublish } from '../api/tier-publish.js';
import { carryOverExample } from '../carry-over-example.js';
import { ChangeList } from './change-list.js';
import type { EditedTier } from './use-matrix-editor.js';

interface MatrixReviewProps {
  edited: readonly EditedTier[];
  onClose: () => void;
  /** Called for each tier as it is applied, the last one last. */
  onApplied: (tier: EditedTier['tier'], published: TierPublished) => void;
  onDone: () => void;
  aside: (calls: MutationCall[]) => ReactNode;
}

/**
 * Edits of one or several tiers before they are published, tier after tier. Whom all of them reach together is added up; a
 * change set makes them at once.
 */
export function MatrixReview({ edited, onClose, onApplied, onDone, aside }: MatrixReviewProps) {
  const t = useTranslations('tiers');
  const publish = useTierPublish();
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const changes = edited.flatMap((one) => one.changes);
  const carriesOver = edited.some(
    ({ tier, changes: own }) => tier.tenantCount > 0 && own.some(({ kind }) => kind === 'changed'),
  );
  const inputs = edited.map(
    ({ tier, limits }): TierPublishInput => ({
      tierKey: tier.key,
      expectedVersion: tier.version,
      limits: limits.map(toLimitInput),
      ...(carriesOver ? { carryOver } : {}),
    }),
  );
  const calls = inputs.map((input) => ({
    mutation: 'tierPublish',
    inputType: 'TierPublishInput',
    input,
  }));
  const send = async ({ reason, dryRun }: { reason: string | null; dryRun: boolean }) => {
    let last: TierPublished | undefined;
    for (const [i, input] of inputs.entries()) {
      const outcome = await publish({ ...input, note: reason, reason, dryRun });
      last = last && dryRun ? together(last, outcome) : outcome;
      if (outcome.userErrors.length > 0) return outcome;
      const tier = edited[i]?.tier;
      if (!dryRun && tier) onApplied(tier, outcome);
    }
    if (!last) throw new Error('There is nothing to publish.');
    return last;
  };
  const [first] = calls;
  if (!first) return null;
  return (
    <ChangeReview
      title={t('matrixReview')}
      permission="tiers:write"
      call={first}
      config={{
        tiers: Object.fromEntries(
          edited.map(({ tier, limits }) => [
            tier.key,
            { name: tier.name, limits: limits.map((one) => configOfPolicy(one)) },
          ]),
        ),
      }}
      send={send}
      aside={() => aside(calls)}
      onClose={onClose}
      onApplied={onDone}
    >
      <Stack gap="md">
        {edited.map(({ tier, changes: own }) => (
          <div key={tier.id}>
            <Group gap={8} mb={6}>
              <Text fw={600} size="sm">
                {tier.name}
              </Text>
              <Badge color="gray">{t('tenantsOn', { count: tier.tenantCount })}</Badge>
            </Group>
            <ChangeList changes={own} />
          </div>
        ))}
      </Stack>
      {carriesOver && (
        <CarryOverChoice
          label={t('carryOver')}
          value={carryOver}
          onChange={setCarryOver}
          example={carryOverExample(changes)}
        />
      )}
    </ChangeReview>
  );
}

/** What two dry runs say together: no tenant is on two tiers. */
function together(a: TierPublished, b: TierPublished): TierPublished {
  const warnings = [...a.warnings, ...b.warnings];
  if (!a.impact || !b.impact) return { ...b, impact: a.impact ?? b.impact ?? null, warnings };
  const impact = {
    tenants: a.impact.tenants + b.impact.tenants,
    loosened: a.impact.loosened + b.impact.loosened,
    tightened: a.impact.tightened + b.impact.tightened,
    sample: [...a.impact.sample, ...b.impact.sample],
    overruns: a.impact.overruns && b.impact.overruns ? [...a.impact.overruns, ...b.impact.overruns] : null,
  };
  return { ...b, impact, warnings };
}
