import { Checkbox, SimpleGrid, Stack } from '@mantine/core';
import { decimals, type Notation, TypedField, wholeNumbers } from '../../components/typed-field.js';
import type { TierPublishInput } from '../../generated/graphql.js';

export type GuardTerms = NonNullable<TierPublishInput['guard']>;

/** Half an hour shows most effects; a thousand decisions make one percentage point ten denials. */
export const DEFAULT_GUARD: GuardTerms = { maxDenialRise: 1, minDecisions: 1000, withinMinutes: 30 };

/** The server accepts the same numbers. */
const NUMBERS: Readonly<Record<keyof GuardTerms, Notation<number>>> = {
  maxDenialRise: decimals(1, 0.1, 100),
  minDecisions: wholeNumbers(10, 1_000_000_000),
  withinMinutes: wholeNumbers(3, 720),
};

interface GuardFieldsProps {
  /** Undefined: the publication is not guarded. */
  value: GuardTerms | undefined;
  onChange: (value: GuardTerms | undefined) => void;
}

/** Turns the guard of a publication on, and edits its terms. */
export function GuardFields({ value, onChange }: GuardFieldsProps) {
  const field = (name: keyof GuardTerms) => ({
    unit: NUMBERS[name],
    value: value?.[name] ?? DEFAULT_GUARD[name],
    onChange: (number: number) => value && onChange({ ...value, [name]: number }),
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
          <TypedField label="Maximum rise" description="Percentage points" {...field('maxDenialRise')} />
          <TypedField label="Minimum decisions" description="Fewer never decide" {...field('minDecisions')} />
          <TypedField label="Watch for" description="Minutes, 3 to 720" {...field('withinMinutes')} />
        </SimpleGrid>
      )}
    </Stack>
  );
}
