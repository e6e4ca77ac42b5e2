import { Select, Textarea, TextInput } from '@mantine/core';
import { carriedOver } from '@tollgate/contracts/carry-over';
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
  keyHint: string;
}

/** A display name and a key. The key follows the name until the user edits it. */
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

/** Maximum accepted by the server. */
const MAX_LENGTH = 500;

interface ReasonFieldProps {
  value: string;
  onChange: (reason: string) => void;
  required?: boolean;
  /** Below the label. Defaults to "Optional" unless required. */
  hint?: string;
  error?: string | undefined;
  focused?: boolean;
  /** One line, growing; for footers. */
  compact?: boolean;
}

/** The reason of a change, recorded in the audit trail. */
export function ReasonField(props: ReasonFieldProps) {
  const { value, onChange, required = false, hint, error, focused = false, compact = false } = props;
  return (
    <Textarea
      label={compact ? 'Reason for the audit trail' : 'Reason'}
      description={hint ?? (required || compact ? undefined : 'Optional. Recorded in the audit trail.')}
      required={required}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      maxLength={MAX_LENGTH}
      minRows={compact ? 1 : 2}
      maxRows={compact ? 3 : 6}
      {...(focused ? { 'data-autofocus': true } : {})}
    />
  );
}

const CHOICES: Readonly<Record<CarryOver, { label: string; means: string }>> = {
  KEEP: { label: 'Keep', means: 'Remaining is the new limit minus existing usage.' },
  RESET: { label: 'Reset', means: 'Usage restarts at zero; the full new limit is available.' },
  PROPORTIONAL: {
    label: 'Proportional',
    means: 'Usage keeps its share of the limit: half stays half.',
  },
  ADDITIVE: {
    label: 'Additive',
    means: 'An increase is available in full, even if the old limit was used up.',
  },
};

export interface CarryOverExample {
  used: number;
  before: number;
  after: number;
}

interface CarryOverChoiceProps {
  label?: string;
  value: CarryOver;
  onChange: (value: CarryOver) => void;
  /** Without an example the rule is explained in general terms. */
  example?: CarryOverExample | undefined;
}

/** Selects how existing usage carries over when limits change, with an explanation. */
export function CarryOverChoice({
  label = 'Existing usage',
  value,
  onChange,
  example,
}: CarryOverChoiceProps) {
  return (
    <Select
      label={label}
      description={example ? `${CHOICES[value].means} ${exampleText(value, example)}` : CHOICES[value].means}
      data={Object.entries(CHOICES).map(([choice, named]) => ({ value: choice, label: named.label }))}
      value={value}
      onChange={(choice) => choice && onChange(choice as CarryOver)}
    />
  );
}

/** `Example: 60 of 100 used leaves 140 of 200.` */
function exampleText(rule: CarryOver, { used, before, after }: CarryOverExample): string {
  const usedThen = carriedOver(used, before, after, rule.toLowerCase() as Lowercase<CarryOver>);
  const left = Math.max(0, after - usedThen);
  return `Example: ${formatNumber(used)} of ${formatNumber(before)} used leaves ${formatNumber(left)} of ${formatNumber(after)}.`;
}
