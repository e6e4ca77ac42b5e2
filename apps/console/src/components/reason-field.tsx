import { Textarea } from '@mantine/core';

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
