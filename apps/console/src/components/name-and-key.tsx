import { TextInput } from '@mantine/core';
import { keyFromName } from '../lib/key-from-name.js';

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
