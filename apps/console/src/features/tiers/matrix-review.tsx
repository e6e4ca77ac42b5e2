import { Badge, Group, Stack, Text } from '@mantine/core';
import { configOfPolicy } from '@tollgate/contracts';
import { type ReactNode, useState } from 'react';
import { ChangeReview, type ReviewedOutcome } from '../../components/change-review.js';
import { ChangeList } from '../../components/differences.js';
import { CarryOverChoice } from '../../components/fields.js';
import type { CarryOver, TierPublishInput } from '../../generated/graphql.js';
import { toLimitInput } from '../../lib/limit-fields.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { plural } from '../../lib/number-format.js';
import type { TierPublished } from './api.js';
import { useTierPublish } from './api.js';
import { carryOverExample } from './publish-review.js';
import type { EditedTier } from './tier-matrix-table.js';

interface MatrixReviewProps {
  edited: readonly EditedTier[];
  onClose: () => void;
  /** Applies the changes of several tiers together. */
  applyAtOnce: (calls: readonly MutationCall[], reason: string | null) => Promise<ReviewedOutcome>;
  /** Called with the change to follow and the names of the tiers. */
  onApplied: (changeId: string | undefined, tiers: string) => void;
  aside: (calls: MutationCall[]) => ReactNode;
}

/** Reviews edits of one or more tiers; several are applied as one change set. */
export function MatrixReview({ edited, applyAtOnce, onClose, onApplied, aside }: MatrixReviewProps) {
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
  const [first] = calls;
  const [input] = inputs;
  if (!first || !input) return null;
  const tryAll = async (reason: string | null): Promise<TierPublished> => {
    let all = await publish({ ...input, note: reason, reason, dryRun: true });
    for (const next of inputs.slice(1)) {
      if (all.userErrors.length > 0) return all;
      all = together(all, await publish({ ...next, note: reason, reason, dryRun: true }));
    }
    return all;
  };
  const send = async ({ reason, dryRun }: { reason: string | null; dryRun: boolean }) => {
    if (dryRun) return tryAll(reason);
    if (inputs.length === 1) return publish({ ...input, note: reason, reason, dryRun });
    // A change set uses the versions at the time it is applied: checks for concurrent changes first.
    const tried = await tryAll(reason);
    return tried.userErrors.length > 0 ? tried : applyAtOnce(calls, reason);
  };
  return (
    <ChangeReview<ReviewedOutcome>
      title="Review changes to tiers"
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
      onApplied={({ changeId }) =>
        onApplied(changeId ?? undefined, edited.map(({ tier }) => tier.name).join(', '))
      }
    >
      <Stack gap="md">
        {edited.map(({ tier, changes: own }) => (
          <div key={tier.id}>
            <Group gap={8} mb={6}>
              <Text fw={600} size="sm">
                {tier.name}
              </Text>
              <Badge color="gray">{plural(tier.tenantCount, 'tenant')}</Badge>
            </Group>
            <ChangeList changes={own} />
          </div>
        ))}
      </Stack>
      {carriesOver && (
        <CarryOverChoice value={carryOver} onChange={setCarryOver} example={carryOverExample(changes)} />
      )}
    </ChangeReview>
  );
}

/** Adds two dry runs; a tenant is on one tier only. */
function together(a: TierPublished, b: TierPublished): TierPublished {
  const warnings = [...a.warnings, ...b.warnings];
  if (!a.impact || !b.impact) return { ...b, impact: a.impact ?? b.impact ?? null, warnings };
  const impact = {
    tenants: a.impact.tenants + b.impact.tenants,
    increased: a.impact.increased + b.impact.increased,
    decreased: a.impact.decreased + b.impact.decreased,
    sample: [...a.impact.sample, ...b.impact.sample],
    overruns: a.impact.overruns && b.impact.overruns ? [...a.impact.overruns, ...b.impact.overruns] : null,
  };
  return { ...b, impact, warnings };
}
