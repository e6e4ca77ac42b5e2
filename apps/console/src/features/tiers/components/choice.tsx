import { Select } from '@mantine/core';

interface ChoiceProps<V extends string> {
  label: string;
  options: Readonly<Record<V, string>>;
  value: V;
  onChange: (value: V) => void;
  error?: string | undefined;
  disabled?: boolean;
  description?: string;
}

/** One of a few words, always exactly one of them. */
export function Choice<V extends string>({ options, onChange, ...props }: ChoiceProps<V>) {
  const values = Object.keys(options) as V[];
  return (
    <Select
      {...props}
      data={values.map((value) => ({ value, label: options[value] }))}
      onChange={(value) => value && onChange(value)}
      allowDeselect={false}
    />
  );
}
