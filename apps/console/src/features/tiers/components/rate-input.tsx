import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRate, parseRate, type Rate } from '../../../lib/rate.js';

interface RateInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'error'> {
  rate: Rate;
  /** Called as soon as what is typed can be read. */
  onRate: (rate: Rate) => void;
  /** Called with whether what is typed can be read, so that a form can hold back. */
  onReadable: (readable: boolean) => void;
  error: string | undefined;
}

/** A rate typed as people type it; what cannot be read stays as typed, with the reason beside it. */
export function RateInput({ rate, onRate, onReadable, error, ...props }: RateInputProps) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { limit, windowMs } = rate;

  // A rate that comes from elsewhere, such as a reload, takes the place of what was typed.
  useEffect(() => {
    setTyped((text) => (text !== undefined && sameRate(text, { limit, windowMs }) ? text : undefined));
    setProblem(undefined);
  }, [limit, windowMs]);

  const read = (text: string) => {
    setTyped(text);
    const parsed = parseRate(text);
    setProblem(parsed.ok ? undefined : parsed.message);
    onReadable(parsed.ok);
    if (parsed.ok) onRate(parsed.value);
  };
  return (
    <TextInput
      {...props}
      value={typed ?? formatRate(rate)}
      onChange={(event) => read(event.currentTarget.value)}
      onBlur={() => problem === undefined && setTyped(undefined)}
      error={problem ?? error}
      spellCheck={false}
      autoComplete="off"
    />
  );
}

function sameRate(text: string, rate: Rate): boolean {
  const parsed = parseRate(text);
  return !parsed.ok || (parsed.value.limit === rate.limit && parsed.value.windowMs === rate.windowMs);
}
