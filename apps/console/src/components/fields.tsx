import { Select, Textarea, TextInput } from '@mantine/core';
import type { CarryOver } from '../generated/graphql.js';
import { keyFromName } from '../lib/form.js';
import { formatNumber } from '../lib/number-format.js';

export interface NameAndKeyValue {
  name: string;
  key: string;
}

interface NameAndKeyProps {
  value: NameAndKeyValue;
  onChange: (value: NameAndKeyValue) => void;
  errors: Record<string, string>;
  /** What the key is for, in one line. */
  keyHint: string;
}

/** A name for people and a key for machines; the key follows the name until somebody types another one. */
export function NameAndKey({ value, onChange, errors, keyHint }: NameAndKeyProps) {
  const follows = value.key === keyFromName(value.name);
  return (
    <>
      <TextInput
        label="Name"
        required
        data-autofocus
        value={value.name}
        onChange={({ currentTarget: { value: name } }) =>
          onChange({ name, key: follows ? keyFromName(name) : value.key })
        }
        error={errors.name}
      />
      <TextInput
        label="Key"
        description={keyHint}
        required
        value={value.key}
        onChange={({ currentTarget: { value: key } }) => onChange({ ...value, key })}
        error={errors.key}
        spellCheck={false}
        autoComplete="off"
      />
    </>
  );
}

/** What the server takes. */
const MAX_LENGTH = 500;

interface ReasonFieldProps {
  value: string;
  onChange: (reason: string) => void;
  required?: boolean;
  /** What is said below the label; left out: where it is not required, that it is not. */
  hint?: string;
  error?: string | undefined;
  /** Whether it is where one writes first. */
  focused?: boolean;
}

/** Why something is changed, as the audit trail keeps it. */
export function ReasonField(props: ReasonFieldProps) {
  const { value, onChange, required = false, hint, error, focused = false } = props;
  return (
    <Textarea
      label="Reason"
      description={hint ?? (required ? undefined : 'Optional. Recorded in the audit trail.')}
      required={required}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      maxLength={MAX_LENGTH}
      autosize
      minRows={2}
      {...(focused ? { 'data-autofocus': true } : {})}
    />
  );
}

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
