import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import {
  formatCount,
  formatDuration,
  formatMilliseconds,
  formatPercent,
  type Parsed,
  parseCount,
  parseDuration,
  parseMilliseconds,
  parsePercent,
} from '../../../lib/rate.js';

interface ParsedInputProps<V = number> {
  label: string;
  value: V;
  onValue: (value: V) => void;
  error: string | undefined;
  disabled: boolean;
  /** Behind what is typed. */
  unit?: ReactNode;
  placeholder?: string;
}

/** A whole number; reads `20` as well as `1k`. */
export const CountInput = (props: ParsedInputProps) => (
  <ParsedInput {...props} parse={parseCount} format={formatCount} />
);

/** A length of time in milliseconds; reads `30s` as well as `250 ms`. */
export const DurationInput = (props: ParsedInputProps) => (
  <ParsedInput {...props} parse={parseDuration} format={formatDuration} />
);

/** A whole part of a hundred; reads `10` as well as `10 %`. */
export const PercentInput = (props: ParsedInputProps) => (
  <ParsedInput {...props} parse={parsePercent} format={formatPercent} />
);

/** Whole milliseconds, or undefined when left empty. */
export const MillisecondsInput = (props: ParsedInputProps<number | undefined>) => (
  <ParsedInput {...props} parse={parseMilliseconds} format={formatMilliseconds} />
);

interface Notation<V> {
  parse: (text: string) => Parsed<V>;
  format: (value: V) => string;
}

/** What cannot be read goes back to the last good number. */
function ParsedInput<V>({
  label,
  value,
  onValue,
  error,
  disabled,
  unit,
  placeholder,
  parse,
  format,
}: ParsedInputProps<V> & Notation<V>) {
  const [typed, setTyped] = useState<string>();
  const parsed = typed === undefined ? undefined : parse(typed);
  const read = (text: string) => {
    setTyped(text);
    const now = parse(text);
    if (now.ok) onValue(now.value);
  };
  return (
    <TextInput
      label={label}
      value={typed ?? format(value)}
      onChange={(event) => read(event.currentTarget.value)}
      onBlur={() => setTyped(undefined)}
      error={parsed && !parsed.ok ? parsed.message : error}
      disabled={disabled}
      rightSection={unit}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
