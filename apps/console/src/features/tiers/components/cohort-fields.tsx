import { NumberInput, TagsInput, Text } from '@mantine/core';
import { type AudienceChoice, cohortOf } from '../audience.js';

interface CohortFieldsProps {
  value: AudienceChoice;
  onChange: (value: AudienceChoice) => void;
}

/** Which part of a tier's tenants: a percentage, tags, names, or several of these together. */
export function CohortFields({ value, onChange }: CohortFieldsProps) {
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
        onChange={(percent) =>
          onChange({ ...value, percent: typeof percent === 'number' ? percent : undefined })
        }
      />
      <TagsInput
        label="Tenants with any of these tags"
        value={[...value.tags]}
        onChange={(tags) => onChange({ ...value, tags })}
        maxTags={20}
      />
      <TagsInput
        label="Tenant keys"
        value={[...value.tenantKeys]}
        onChange={(tenantKeys) => onChange({ ...value, tenantKeys })}
        splitChars={[',', ' ', '\n', ';']}
      />
      {cohortOf(value) === undefined && (
        <Text size="sm" c="dimmed">
          Enter a percentage, tags or tenants.
        </Text>
      )}
    </>
  );
}
