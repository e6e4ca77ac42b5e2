import { Checkbox, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import type { TierPublishInput } from '../../generated/graphql.js';
import { formatNumber } from '../../lib/number-format.js';

export type GuardTerms = NonNullable<TierPublishInput['guard']>;

/** Half an hour shows most effects; a thousand decisions make one percentage point ten denials. */
export const DEFAULT_GUARD: GuardTerms = { maxDenialRise: 1, minDecisions: 1000, withinMinutes: 30 };

const BOUNDS: Readonly<Record<keyof GuardTerms, { min: number; max: number }>> = {
  maxDenialRise: { min: 0.1, max: 100 },
  minDecisions: { min: 10, max: 1_000_000_000 },
  withinMinutes: { min: 3, max: 720 },
};

const isWithin = (name: keyof GuardTerms, number: number): boolean =>
  BOUNDS[name].min <= number && number <= BOUNDS[name].max;

/** Whether the server accepts the terms. */
export const isValidGuard = (terms: GuardTerms): boolean =>
  Object.entries(terms).every(([name, number]) => isWithin(name as keyof GuardTerms, number));

interface GuardFieldsProps {
  /** Undefined: the publication is not guarded. */
  value: GuardTerms | undefined;
  onChange: (value: GuardTerms | undefined) => void;
}

/** Turns the guard of a publication on, and edits its terms. */
export function GuardFields({ value, onChange }: GuardFieldsProps) {
  const field = (name: keyof GuardTerms) => {
    const { min, max } = BOUNDS[name];
    const number = value?.[name] ?? DEFAULT_GUARD[name];
    return {
      ...{ min, max, value: number || '' },
      onChange: (typed: number | string) => value && onChange({ ...value, [name]: Number(typed) }),
      error: isWithin(name, number) ? undefined : `Enter ${formatNumber(min)} to ${formatNumber(max)}`,
    };
  };
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
            {...field('maxDenialRise')}
          />
          <NumberInput
            label="Minimum decisions"
            description="Fewer never decide"
            allowDecimal={false}
            thousandSeparator=","
            {...field('minDecisions')}
          />
          <NumberInput
            label="Watch for"
            description="Minutes, 3 to 720"
            allowDecimal={false}
            {...field('withinMinutes')}
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}
