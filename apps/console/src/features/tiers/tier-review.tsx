import { Radio, Stack, TagsInput } from '@mantine/core';
import { configOfPolicy, type LimitPolicy, nominalWindowMs } from '@tollgate/contracts';
import { type ReactNode, useState } from 'react';
import { ChangeReview, Part, type ReviewedOutcome } from '../../components/change-review.js';
import { ChangeList } from '../../components/differences.js';
import { CarryOverChoice, type CarryOverExample } from '../../components/fields.js';
import { Hint } from '../../components/page.js';
import { optional, percentages, TypedField } from '../../components/typed-field.js';
import type { CarryOver, CohortInput, PublishAudience, TierPublishInput } from '../../generated/graphql.js';
import type { UserErrorInfo } from '../../lib/graphql-request.js';
import type { LimitChange } from '../../lib/limit-diff.js';
import { toLimitInput } from '../../lib/limit-fields.js';
import type { MutationCall } from '../../lib/mutation-text.js';
import { plural } from '../../lib/number-format.js';
import { type TierDetail, type TierPublished, useTierPublish } from './api.js';
import { GuardFields, type GuardTerms } from './guard-fields.js';

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

const COHORT_PERCENT = optional(percentages(1, 100));

/** Selects tenants of a tier by percentage, tags and keys. */
export function CohortFields({ value, onChange }: AudienceFieldsProps) {
  return (
    <>
      <TypedField
        label="Percent of tenants"
        description="Stable: tenants in the first 10 percent are also in the first 20."
        unit={COHORT_PERCENT}
        value={value.percent ?? undefined}
        onChange={(percent) => onChange({ ...value, percent: percent ?? null })}
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
        label="Audience"
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

interface EditedTier {
  tier: Pick<TierDetail, 'key' | 'name' | 'description' | 'rank' | 'tenantCount' | 'version'>;
  limits: readonly LimitPolicy[];
  changes: readonly LimitChange[];
}

interface TierReviewProps {
  /** At least one. The version is the row version that the edits are based on. */
  edited: readonly EditedTier[];
  replacesDraft?: boolean;
  /** Whether tenants are on the published version, which a guard compares and returns to. */
  guardable?: boolean;
  /** Applies the changes of several tiers together. */
  applyAtOnce?: (calls: readonly MutationCall[], reason: string | null) => Promise<ReviewedOutcome>;
  onClose: () => void;
  onApplied: (outcome: TierOutcome) => void;
  onRefused?: (userErrors: readonly UserErrorInfo[]) => void;
  /** Next to Apply: an alternative with the same mutations. */
  aside?: ((calls: MutationCall[], reason: string | null) => ReactNode) | undefined;
}

export type TierOutcome = ReviewedOutcome & Partial<Pick<TierPublished, 'tier'>>;

/** Reviews edits of one tier with its rollout, or of several, which are applied to everyone as one change set. */
export function TierReview({
  edited,
  replacesDraft = false,
  guardable = false,
  applyAtOnce,
  aside,
  ...events
}: TierReviewProps) {
  const publish = useTierPublish();
  const [choice, setChoice] = useState(EVERYONE);
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const [chosenGuard, setGuard] = useState<GuardTerms>();
  const isGuarded = guardable && ['EVERYONE_NOW', 'COHORT'].includes(choice.audience);
  const guard = isGuarded ? chosenGuard : undefined;
  const changes = edited.flatMap((one) => one.changes);
  const [first] = edited;
  const only = edited.length === 1 ? first : undefined;
  const hasTenants = edited.some(({ tier }) => tier.tenantCount > 0);
  const carriesOver =
    hasTenants && choice.audience !== 'NEW_TENANTS_ONLY' && changes.some(({ kind }) => kind === 'changed');
  const cohort = choice.audience === 'COHORT' ? cohortOf(choice) : undefined;
  const inputs = edited.map(
    ({ tier, limits }): TierPublishInput => ({
      tierKey: tier.key,
      expectedVersion: tier.version,
      limits: limits.map(toLimitInput),
      ...(carriesOver ? { carryOver } : {}),
      ...(choice.audience === 'EVERYONE_NOW' ? {} : { audience: choice.audience }),
      ...(cohort ? { cohort } : {}),
      ...(guard ? { guard } : {}),
    }),
  );
  const calls = inputs.map((input) => ({ mutation: 'tierPublish', inputType: 'TierPublishInput', input }));
  const [call] = calls;
  if (!first || !call) return null;
  const tryAll = async (reason: string | null): Promise<TierPublished> => {
    let all = await publish({ ...call.input, note: reason, reason, dryRun: true });
    for (const next of inputs.slice(1)) {
      if (all.userErrors.length > 0) return all;
      all = together(all, await publish({ ...next, note: reason, reason, dryRun: true }));
    }
    return all;
  };
  const send = async ({
    reason,
    dryRun,
  }: {
    reason: string | null;
    dryRun: boolean;
  }): Promise<TierOutcome> => {
    if (dryRun) return tryAll(reason);
    if (only || !applyAtOnce) return publish({ ...call.input, note: reason, reason, dryRun });
    // A change set uses the versions at the time it is applied: checks for concurrent changes first.
    const tried = await tryAll(reason);
    return tried.userErrors.length > 0 ? tried : applyAtOnce(calls, reason);
  };
  const configOf = ({ tier: { name, description, rank }, limits }: EditedTier) => ({
    ...{ name, description, rank },
    limits: limits.map((one) => configOfPolicy(one)),
  });
  return (
    <ChangeReview<TierOutcome>
      {...events}
      title={only ? `Review changes to ${first.tier.name}` : 'Review changes to tiers'}
      permission="tiers:write"
      call={call}
      calls={calls}
      config={{ tiers: Object.fromEntries(edited.map((one) => [one.tier.key, configOf(one)])) }}
      incomplete={choice.audience === 'COHORT' && !cohort}
      send={send}
      {...(aside ? { aside: (reason: string | null) => aside(calls, reason) } : {})}
      options={
        hasTenants && (
          <Part title="Rollout">
            <Stack gap="sm">
              {only && <AudienceFields value={choice} onChange={setChoice} />}
              {only && isGuarded && <GuardFields value={guard} onChange={setGuard} />}
              {carriesOver && (
                <CarryOverChoice
                  value={carryOver}
                  onChange={setCarryOver}
                  example={carryOverExample(changes)}
                />
              )}
            </Stack>
          </Part>
        )
      }
    >
      {edited.map(({ tier, changes: own }) => (
        <Part key={tier.key} title={only ? 'Changes' : tier.name} note={plural(tier.tenantCount, 'tenant')}>
          <ChangeList changes={own} />
        </Part>
      ))}
      {replacesDraft && <Hint>Replaces the saved draft.</Hint>}
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
