import { Text } from '@mantine/core';
import type { LimitPolicy } from '@tollgate/contracts';
import { configOfPolicy } from '@tollgate/contracts';
import { type ReactNode, useState } from 'react';
import { ChangeReview } from '../../../components/change-review.js';
import { CarryOverChoice } from '../../../components/fields.js';
import type { CarryOver, TierPublishInput } from '../../../generated/graphql.js';
import type { UserErrorInfo } from '../../../lib/graphql-request.js';
import { toLimitInput } from '../../../lib/limit-fields.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import type { TierDetail } from '../api/tier.js';
import { type TierPublished, useTierPublish } from '../api/tier-publish.js';
import { cohortOf, EVERYONE } from '../audience.js';
import { carryOverExample } from '../carry-over-example.js';
import type { LimitChange } from '../limit-diff.js';
import { AudienceFields } from './audience-fields.js';
import { ChangeList } from './change-list.js';

interface PublishReviewProps {
  tier: Pick<TierDetail, 'key' | 'name' | 'description' | 'rank' | 'tenantCount'>;
  /** The tier's row version that the edits were made on. */
  expectedVersion: number;
  limits: readonly LimitPolicy[];
  changes: readonly LimitChange[];
  replacesDraft: boolean;
  onClose: () => void;
  onApplied: (published: TierPublished) => void;
  onRefused: (userErrors: readonly UserErrorInfo[]) => void;
  /** Beside Apply: another way on with the same mutation. */
  aside?: ((call: MutationCall, reason: string | null) => ReactNode) | undefined;
}

/** A tier's edits before they are published: what changes, for whom, what becomes of what is used, and whom it reaches. */
export function PublishReview(props: PublishReviewProps) {
  const { tier, expectedVersion, limits, changes, replacesDraft, aside, ...events } = props;
  const publish = useTierPublish();
  const [choice, setChoice] = useState(EVERYONE);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const hasTenants = tier.tenantCount > 0;
  const carriesOver =
    hasTenants && choice.audience !== 'NEW_TENANTS_ONLY' && changes.some(({ kind }) => kind === 'changed');
  const cohort = choice.audience === 'COHORT' ? cohortOf(choice) : undefined;
  const input: TierPublishInput = {
    tierKey: tier.key,
    expectedVersion,
    limits: limits.map(toLimitInput),
    ...(carriesOver ? { carryOver } : {}),
    ...(choice.audience === 'EVERYONE_NOW' ? {} : { audience: choice.audience }),
    ...(cohort ? { cohort } : {}),
  };
  const call = { mutation: 'tierPublish', inputType: 'TierPublishInput', input };
  const { name, description, rank } = tier;
  const config = {
    tiers: { [tier.key]: { name, description, rank, limits: limits.map((one) => configOfPolicy(one)) } },
  };
  return (
    <ChangeReview
      {...events}
      title={`Review changes to ${tier.name}`}
      permission="tiers:write"
      call={call}
      config={config}
      incomplete={choice.audience === 'COHORT' && !cohort}
      send={({ reason, dryRun }) => publish({ ...input, note: reason, reason, dryRun })}
      {...(aside ? { aside: (reason: string | null) => aside(call, reason) } : {})}
    >
      <ChangeList changes={changes} />
      {replacesDraft && (
        <Text size="sm" c="dimmed">
          Replaces the saved draft.
        </Text>
      )}
      {hasTenants ? (
        <AudienceFields value={choice} onChange={setChoice} />
      ) : (
        <Text size="sm" c="dimmed">
          No tenants are on this tier yet.
        </Text>
      )}
      {carriesOver && (
        <CarryOverChoice
          label="Existing usage"
          value={carryOver}
          onChange={setCarryOver}
          example={carryOverExample(changes)}
        />
      )}
    </ChangeReview>
  );
}
