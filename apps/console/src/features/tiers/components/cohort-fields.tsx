import { NumberInput, TagsInput, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { type AudienceChoice, cohortOf } from '../audience.js';

interface CohortFieldsProps {
  value: AudienceChoice;
  onChange: (value: AudienceChoice) => void;
}

/** Which part of a tier's tenants: a percentage, tags, names, or several of these together. */
export function CohortFields({ value, onChange }: CohortFieldsProps) {
  const t = useTranslations('tiers');
  return (
    <>
      <NumberInput
        label={t('cohortPercent')}
        description={t('cohortPercentHint')}
        min={1}
        max={100}
        suffix=" %"
        allowDecimal={false}
        value={value.percent ?? ''}
        onChange={(percent) =>
          onChange({ ...value, percent: typeof percent === 'number' ? percent : undefined })
        }
      />
      <TagsInput
        label={t('cohortTags')}
        value={[...value.tags]}
        onChange={(tags) => onChange({ ...value, tags })}
        maxTags={20}
      />
      <TagsInput
        label={t('cohortTenants')}
        value={[...value.tenantKeys]}
        onChange={(tenantKeys) => onChange({ ...value, tenantKeys })}
        splitChars={[',', ' ', '\n', ';']}
      />
      {cohortOf(value) === undefined && (
        <Text size="sm" c="dimmed">
          {t('cohortEmpty')}
        </Text>
      )}
    </>
  );
}
