import { TextInput, type TextInputProps } from '@mantine/core';
import type { Rule } from '@tollgate/contracts';
import { useEffect, useState } from 'react';
import { formatAmount, parseAmount } from '../../../lib/rate.js';

interface RateInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'error'> {
  rule: Rule;
  /** Called as soon as what is typed can be read. */
  onRule: (rule: Rule) => void;
  /** Called with whether what is typed can be read, so that a form can hold back. */
  onReadable: (readable: boolean) => void;
  error: string | undefined;
}

/** How much a rule lets through, as people type it; what cannot be read stays as typed, with the reason beside it. */
export function RateInput({ rule, onRule, onReadable, error, ...props }: RateInputProps) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const written = formatAmount(rule);

  // A rate that comes from elsewhere, such as a reload, takes the place of what was typed.
  useEffect(() => {
    setTyped((text) => (text !== undefined && isWritten(text, rule) ? text : undefined));
    setProblem(undefined);
    onReadable(true);
  }, [written]);
  useEffect(() => () => onReadable(true), []);

  const read = (text: string) => {
    setTyped(text);
    const parsed = parseAmount(text, rule);
    setProblem(parsed.ok ? undefined : parsed.message);
    onReadable(parsed.ok);
    if (parsed.ok) onRule(parsed.value);
  };
  return (
    <TextInput
      {...props}
      value={typed ?? written}
      onChange={(event) => read(event.currentTarget.value)}
      onBlur={() => problem === undefined && setTyped(undefined)}
      error={problem ?? error}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

/** Whether a text, read as this rule's, is this rule. */
function isWritten(text: string, rule: Rule): boolean {
  const parsed = parseAmount(text, rule);
  return parsed.ok && formatAmount(parsed.value) === formatAmount(rule);
}
