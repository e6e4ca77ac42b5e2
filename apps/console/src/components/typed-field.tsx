import { Anchor, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { formatNumber } from '../lib/number-format.js';
import {
  formatCount,
  formatDuration,
  formatPercent,
  type Parsed,
  parseCount,
  parseDecimal,
  parseDuration,
  parsePercent,
  type Unread,
} from '../lib/rate.js';

export interface Notation<V> {
  parse: (text: string) => Parsed<V>;
  format: (value: V) => string;
}

/** Notations by unit: `1k`, `30s`, `10 %`. */
export const NOTATIONS = {
  count: { parse: parseCount, format: formatCount },
  ms: { parse: parseDuration, format: formatDuration },
  percent: { parse: parsePercent, format: formatPercent },
} as const satisfies Record<string, Notation<number>>;

/** Whole numbers within bounds, without abbreviations: `12,000`. */
export const wholeNumbers = (min: number, max = Number.MAX_SAFE_INTEGER): Notation<number> =>
  bounded({ parse: parseCount, format: formatNumber }, min, max);

/** Whole percentages within bounds: `80 %`. */
export const percentages = (min: number, max: number): Notation<number> =>
  bounded(NOTATIONS.percent, min, max);

/** Numbers with a fraction of at most `decimals` digits: `0.5`. */
export const decimals = (digits: number, min: number, max: number): Notation<number> =>
  bounded({ parse: (text) => parseDecimal(text, digits), format: formatNumber }, min, max);

/** The empty text is undefined. */
export const optional = <V,>({ parse, format }: Notation<V>): Notation<V | undefined> => ({
  parse: (text) => (text.trim() === '' ? { ok: true, value: undefined } : parse(text)),
  format: (value) => (value === undefined ? '' : format(value)),
});

function bounded({ parse, format }: Notation<number>, min: number, max: number): Notation<number> {
  const range =
    max === Number.MAX_SAFE_INTEGER ? `${format(min)} or more` : `${format(min)} to ${format(max)}`;
  return {
    format,
    parse: (text) => {
      const parsed = parse(text);
      if (!parsed.ok && parsed.readings) return parsed;
      const fits = parsed.ok && min <= parsed.value && parsed.value <= max;
      return fits ? parsed : { ok: false, message: `Enter ${range}` };
    },
  };
}

interface TypedProblemProps {
  problem: Unread;
  onChoose: (text: string) => void;
}

/** Why a text is unreadable. Readings are buttons that replace it. */
export function TypedProblem({ problem: { message, readings = [] }, onChoose }: TypedProblemProps) {
  return (
    <>
      {message}
      {readings.map((reading) => (
        <span key={reading}>
          {' '}
          <Anchor
            component="button"
            type="button"
            inherit
            underline="always"
            // The input keeps the focus, so leaving it changes nothing before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(reading)}
          >
            {reading}
          </Anchor>
        </span>
      ))}
    </>
  );
}

interface NumberTextProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  onChange: (text: string) => void;
  /** `value`, parsed. */
  parsed: Parsed<unknown>;
}

/** A number as text that its form parses. Two readings are offered as soon as they are typed; `error` shows other problems. */
export function NumberText({ value, onChange, parsed, error, ...props }: NumberTextProps) {
  const isAmbiguous = !parsed.ok && parsed.readings !== undefined;
  return (
    <TextInput
      data-unreadable={isAmbiguous || undefined}
      {...props}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={isAmbiguous ? <TypedProblem problem={parsed} onChoose={onChange} /> : error}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

interface TypedFieldProps<V> extends Omit<TextInputProps, 'value' | 'onChange' | 'onBlur'> {
  unit: keyof typeof NOTATIONS | Notation<V>;
  value: V;
  /** Called when the text becomes valid. */
  onChange: (value: V) => void;
  /** Called with the error of the text, or undefined, so that the form can block submission. */
  onProblem?: (message: string | undefined) => void;
  /** Called with unreadable text when the user leaves the field. */
  onUnreadable?: (text: string) => void;
}

/** A value as text. Unreadable text stays with an error, and its form is not sent. */
export function TypedField<V = number>({
  unit,
  value,
  onChange,
  onProblem = ignore,
  onUnreadable,
  error,
  ...props
}: TypedFieldProps<V>) {
  const { parse, format } = (typeof unit === 'string' ? NOTATIONS[unit] : unit) as Notation<V>;
  const [typed, setTyped] = useState<string>();
  const written = format(value);
  const parsed = parse(typed ?? written);
  const problem = typed === undefined || parsed.ok ? undefined : parsed.message;

  // An external change, such as a reload, replaces the typed text.
  useEffect(() => {
    const isWritten = (text: string) => {
      const again = parse(text);
      return again.ok && format(again.value) === written;
    };
    setTyped((text) => (text !== undefined && isWritten(text) ? text : undefined));
    onProblem(undefined);
  }, [written]);
  useEffect(() => () => onProblem(undefined), []);

  const read = (text: string) => {
    setTyped(text);
    const next = parse(text);
    onProblem(next.ok ? undefined : next.message);
    if (next.ok) onChange(next.value);
  };
  const finish = () => {
    if (problem === undefined) setTyped(undefined);
    else if (typed !== undefined) onUnreadable?.(typed);
  };
  return (
    <NumberText
      {...props}
      value={typed ?? written}
      onChange={read}
      parsed={typed === undefined ? READ : parsed}
      onBlur={finish}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
      error={problem ?? error}
      {...(problem === undefined ? {} : { 'data-unreadable': true })}
    />
  );
}

const ignore = () => undefined;
const READ: Parsed<undefined> = { ok: true, value: undefined };

/** Focuses the first field with unreadable text; whether there is one. A form is not sent with it. */
export function focusUnreadable(form: HTMLElement | null): boolean {
  const field = form?.querySelector<HTMLElement>('[data-unreadable]');
  field?.focus();
  return field != null;
}

interface UnlessUnreadableProps {
  /** The element with the fields. */
  fieldsOf: (button: HTMLElement) => HTMLElement | null;
  children: ReactNode;
}

/** Buttons that send fields without submitting their form: the first unreadable field gets the focus instead of the click. */
export function UnlessUnreadable({ fieldsOf, children }: UnlessUnreadableProps) {
  return (
    <span
      style={{ display: 'contents' }}
      onClickCapture={(event) => {
        if (focusUnreadable(fieldsOf(event.currentTarget))) event.stopPropagation();
      }}
    >
      {children}
    </span>
  );
}
