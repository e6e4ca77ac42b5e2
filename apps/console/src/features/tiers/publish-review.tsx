import { NumberInput, Radio, Stack, TagsInput } from '@mantine/core';
import { configOfPolicy, type LimitPolicy, nominalWindowMs } from '@tollgate/contracts';
import { type ReactNode, useState } from 'react';
import { ChangeReview } from '../../components/change-review.js';
import { ChangeList } from '../../components/differences.js';
import { CarryOverChoice, type CarryOverExample } from '../../components/fields.js';
import { Hint } from '../../components/page.js';
import type { CarryOver, CohortInput, PublishAudience, TierPublishInput } from '../../generated/graphql.js';
import type { UserErrorInfo } from '../../lib/graphql-request.js';
import type { LimitChange } from '../../lib/limit-diff.js';
import { toLimitInput } from '../../lib/limit-fields.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { type TierDetail, type TierPublished, useTierPublish } from './api.js';

/** The selected rollout. */
interface AudienceChoice extends CohortInput {
  audience: PublishAudience;
}

export const EVERYONE: AudienceChoice = { audience: 'EVERYONE_NOW', tags: [], tenantKeys: [] };

/** The selected cohort as mutation input; undefined while it is empty. */
export function cohortOf({ audience: _, ...cohort }: AudienceChoice): CohortInput | undefined {
  const chosen = Object.entries(cohort).filter(([, part]) => (Array.isArray(part) ? part.length > 0 : part));
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen);
}

/** Used share of the old limit in the example. */
const USED_PERCENT = 60;

/** Example numbers from the first limit that keeps its counter. */
export function carryOverExample(changes: readonly LimitChange[]): CarryOverExample | undefined {
  for (const { before, after } of changes) {
    if (!before || !after || before.algorithm !== after.algorithm || before.limit === after.limit) continue;
    if (nominalWindowMs(before) !== nominalWindowMs(after)) continue;
    return {
      used: Math.floor((before.limit * USED_PERCENT) / 100),
      before: before.limit,
      after: after.limit,
    };
  }
  return undefined;
}

interface AudienceFieldsProps {
  value: AudienceChoice;
  onChange: (value: AudienceChoice) => void;
}

/** Selects tenants of a tier by percentage, tags and keys. */
export function CohortFields({ value, onChange }: AudienceFieldsProps) {
  return (
    <>
      <NumberInput
        label="Percent of tenants"
        description="Stable: tenants in the first 10 percent are also in the first 20."
        min={1}
        max={100}
        suffix=" %"
        allowDecimal={false}
        value={value.percent ?? ''}
        onChange={(percent) => onChange({ ...value, percent: typeof percent === 'number' ? percent : null })}
      />
      <TagsInput
        label="Tenants with any of these tags"
        value={value.tags ?? []}
        onChange={(tags) => onChange({ ...value, tags })}
        maxTags={20}
      />
      <TagsInput
        label="Tenant keys"
        value={value.tenantKeys ?? []}
        onChange={(tenantKeys) => onChange({ ...value, tenantKeys })}
        splitChars={[',', ' ', '\n', ';']}
      />
      {cohortOf(value) === undefined && <Hint>Enter a percentage, tags or tenants.</Hint>}
    </>
  );
}

/** Rollout: everyone, new tenants, at renewal or a cohort. */
export function AudienceFields({ value, onChange }: AudienceFieldsProps) {
  const choices: ReadonlyArray<{ value: PublishAudience; label: string; hint: string }> = [
    { value: 'EVERYONE_NOW', label: 'Everyone now', hint: 'All tenants on this tier that are not pinned.' },
    {
      value: 'COHORT',
      label: 'Gradual rollout',
      hint: 'Other tenants keep the current version until you expand the rollout.',
    },
    {
      value: 'AT_PERIOD_END',
      label: 'At each tenant’s renewal',
      hint: 'When the billing period ends, in the tenant’s time zone. Until then tenants keep the current version.',
    },
    {
      value: 'NEW_TENANTS_ONLY',
      label: 'New tenants only',
      hint: 'Existing tenants keep the current version; new tenants get this one.',
    },
  ];
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Rollout"
        value={value.audience}
        onChange={(audience) => onChange({ ...value, audience: audience as PublishAudience })}
      >
        <Stack gap={6} mt={4}>
          {choices.map((choice) => (
            <Radio
              key={choice.value}
              size="xs"
              value={choice.value}
              label={choice.label}
              {...(choice.value === value.audience ? { description: choice.hint } : {})}
            />
          ))}
        </Stack>
      </Radio.Group>
      {value.audience === 'COHORT' && <CohortFields value={value} onChange={onChange} />}
    </Stack>
  );
}

interface PublishReviewProps {
  tier: Pick<TierDetail, 'key' | 'name' | 'description' | 'rank' | 'tenantCount'>;
  /** The tier's row version that the edits are based on. */
  expectedVersion: number;
  limits: readonly LimitPolicy[];
  changes: readonly LimitChange[];
  replacesDraft: boolean;
  onClose: () => void;
  onApplied: (published: TierPublished) => void;
  onRefused: (userErrors: readonly UserErrorInfo[]) => void;
  /** Next to Apply: an alternative with the same mutation. */
  aside?: ((call: MutationCall, reason: string | null) => ReactNode) | undefined;
}

/** Reviews a tier's edits: changes, rollout, carry-over and impact. */
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
      {replacesDraft && <Hint>Replaces the saved draft.</Hint>}
      {hasTenants ? (
        <AudienceFields value={choice} onChange={setChoice} />
      ) : (
        <Hint>No tenants are on this tier yet.</Hint>
      )}
      {carriesOver && (
        <CarryOverChoice value={carryOver} onChange={setCarryOver} example={carryOverExample(changes)} />
      )}
    </ChangeReview>
  );
}
