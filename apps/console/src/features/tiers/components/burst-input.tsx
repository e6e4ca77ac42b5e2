import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount, parseCount } from '../../../lib/rate.js';

interface BurstInputProps {
  burst: number;
  onBurst: (burst: number) => void;
  error: string | undefined;
  disabled: boolean;
}

/** GCRA's burst; reads `20` as well as `1k`. What cannot be read goes back to the last good number. */
export function BurstInput({ burst, onBurst, error, disabled }: BurstInputProps) {
  const [typed, setTyped] = useState<string>();
  const parsed = typed === undefined ? undefined : parseCount(typed);
  const read = (text: string) => {
    setTyped(text);
    const count = parseCount(text);
    if (count.ok) onBurst(count.value);
  };
  return (
    <TextInput
      label="Burst: more at once than one"
      inputMode="numeric"
      value={typed ?? formatCount(burst)}
      onChange={(event) => read(event.currentTarget.value)}
      onBlur={() => setTyped(undefined)}
      error={parsed && !parsed.ok ? parsed.message : error}
      disabled={disabled}
    />
  );
}
