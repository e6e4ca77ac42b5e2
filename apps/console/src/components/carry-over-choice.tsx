import { Select } from '@mantine/core';
import type { CarryOver } from '../generated/graphql.js';
import { formatNumber } from '../lib/number-format.js';

const CHOICES: Readonly<Record<CarryOver, { label: string; means: string }>> = {
  KEEP: { label: 'Stays used', means: 'What is left is the new limit less what is used.' },
  RESET: { label: 'Starts again at zero', means: 'The new limit is there as a whole, at once.' },
  PROPORTIONAL: {
    label: 'Stays used in proportion',
    means: 'Half of the old limit used is half of the new one used.',
  },
  ADDITIVE: {
    label: 'Stays used, the old limit at most',
    means: 'What a higher limit adds is there at once.',
  },
};

/** Numbers to explain a rule by. */
export interface CarryOverExample {
  used: number;
  before: number;
  after: number;
}

interface CarryOverChoiceProps {
  label: string;
  value: CarryOver;
  onChange: (value: CarryOver) => void;
  /** Left out: the rule is told in general. */
  example?: CarryOverExample | undefined;
}

/** What becomes of what is used when limits change, and what that means. */
export function CarryOverChoice({ label, value, onChange, example }: CarryOverChoiceProps) {
  return (
    <Select
      label={label}
      description={example ? `${CHOICES[value].means} ${tell(value, example)}` : CHOICES[value].means}
      data={Object.entries(CHOICES).map(([choice, named]) => ({ value: choice, label: named.label }))}
      value={value}
      onChange={(choice) => choice && onChange(choice as CarryOver)}
      allowDeselect={false}
    />
  );
}

/** `Who has used 60 of 100 has 140 of 200 left.` */
function tell(rule: CarryOver, { used, before, after }: CarryOverExample): string {
  const usedThen = {
    KEEP: used,
    RESET: 0,
    PROPORTIONAL: Math.floor((used * after) / before),
    ADDITIVE: Math.min(used, before),
  }[rule];
  const left = Math.max(0, after - usedThen);
  return `Who has used ${formatNumber(used)} of ${formatNumber(before)} has ${formatNumber(left)} of ${formatNumber(after)} left.`;
}
