import { Radio, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { PublishAudience } from '../../../generated/graphql.js';
import type { AudienceChoice } from '../audience.js';
import { CohortFields } from './cohort-fields.js';

interface AudienceFieldsProps {
  value: AudienceChoice;
  onChange: (value: AudienceChoice) => void;
}

/** For whom a version is: everybody, newcomers, each at the end of its period, or a part. */
export function AudienceFields({ value, onChange }: AudienceFieldsProps) {
  const t = useTranslations('tiers');
  const choices: ReadonlyArray<{ value: PublishAudience; label: string; hint: string }> = [
    { value: 'EVERYONE_NOW', label: t('audienceEveryone'), hint: t('audienceEveryoneHint') },
    { value: 'COHORT', label: t('audienceCohort'), hint: t('audienceCohortHint') },
    { value: 'AT_PERIOD_END', label: t('audiencePeriod'), hint: t('audiencePeriodHint') },
    { value: 'NEW_TENANTS_ONLY', label: t('audienceNew'), hint: t('audienceNewHint') },
  ];
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('audience')}
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
