import { Radio, Stack } from '@mantine/core';
import type { PublishAudience } from '../../../generated/graphql.js';
import type { AudienceChoice } from '../audience.js';
import { CohortFields } from './cohort-fields.js';

interface AudienceFieldsProps {
  value: AudienceChoice;
  onChange: (value: AudienceChoice) => void;
}

/** For whom a version is: everybody, newcomers, each at the end of its period, or a part. */
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
