import { Button, Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Problem } from './page.js';
import { focusUnreadable } from './typed-field.js';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => void;
}

/** A form that the browser neither validates nor sends. It is not submitted while a number in it is unreadable. */
export function Form({ onSubmit, ...props }: FormProps) {
  return (
    <form
      noValidate
      {...props}
      onSubmit={(event) => {
        // React's events also bubble from the form of a dialog to the form whose button opened it.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!focusUnreadable(event.currentTarget)) onSubmit();
      }}
    />
  );
}

interface CredentialsFormProps {
  onSubmit: () => void;
  submitLabel: string;
  pending: boolean;
  disabled?: boolean;
  /** Error that belongs to no field. */
  problem: ReactNode;
  children: ReactNode;
}

/** A form of a page before the sign-in. */
export function CredentialsForm(props: CredentialsFormProps) {
  const { onSubmit, submitLabel, pending, disabled = false, problem, children } = props;
  return (
    <Form onSubmit={onSubmit}>
      <Stack gap="sm">
        <Problem>{problem}</Problem>
        {children}
        <Button type="submit" size="sm" fullWidth mt={6} disabled={disabled} loading={pending}>
          {submitLabel}
        </Button>
      </Stack>
    </Form>
  );
}
