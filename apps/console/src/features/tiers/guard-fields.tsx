import { Checkbox, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import type { TierPublishInput } from '../../generated/graphql.js';

export type GuardTerms = NonNullable<TierPublishInput['guard']>;

/** Half an hour shows most effects; a thousand decisions make one percentage point ten denials. */
export const DEFAULT_GUARD: GuardTerms = { maxDenialRise: 1, minDecisions: 1000, withinMinutes: 30 };

interface GuardFieldsProps {
  /** Undefined: the publication is not guarded. */
  value: GuardTerms | undefined;
  onChange: (value: GuardTerms | undefined) => void;
}

/** Turns the guard of a publication on, and edits its terms. */
export function GuardFields({ value, onChange }: GuardFieldsProps) {
  const field = (name: keyof GuardTerms, bounds: { min: number; max: number }) => ({
    ...bounds,
    value: value?.[name] ?? DEFAULT_GUARD[name],
    onChange: (typed: number | string) => {
      if (value && typeof typed === 'number') onChange({ ...value, [name]: typed });
    },
    clampBehavior: 'blur' as const,
  });
  return (
    <Stack gap="xs">
      <Checkbox
        label="Revert automatically if denials rise"
        description="Compares each tenant with its own requests before the change, and with tenants that keep the current version. Never reverts on missing data."
        checked={value !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? DEFAULT_GUARD : undefined)}
      />
      {value && (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NumberInput
            label="Maximum rise"
            description="Percentage points"
            decimalScale={1}
            {...field('maxDenialRise', { min: 0.1, max: 100 })}
          />
          <NumberInput
            label="Minimum decisions"
            description="Fewer never decide"
            allowDecimal={false}
            thousandSeparator=","
            {...field('minDecisions', { min: 10, max: 1_000_000_000 })}
          />
          <NumberInput
            label="Watch for"
            description="Minutes, 3 to 720"
            allowDecimal={false}
            {...field('withinMinutes', { min: 3, max: 720 })}
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}
