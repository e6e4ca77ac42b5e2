import { useState } from 'react';
import { errorsByField, type UserErrorInfo, UserErrorsError } from './user-errors.js';

/**
 * The values of a form, and what the server said of each when it refused them: the review of the change tells it by `told`,
 * tried or for good.
 */
export function useForm<T extends object>(initial: T) {
  const [values, setValues] = useState(initial);
  const [refused, setRefused] = useState<readonly UserErrorInfo[]>([]);
  const { byField } = errorsByField(new UserErrorsError(refused), Object.keys(initial));
  const set = (more: Partial<T>) => setValues({ ...values, ...more });
  return { values, set, byField, told: { onRefused: setRefused, onTried: setRefused } };
}

/** A form that changes something there is: `changed` holds the values that differ from it, and is empty where none does. */
export function useEditForm<T extends object>(original: T) {
  const form = useForm(original);
  const differing = Object.entries(form.values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(original[field as keyof T]),
  );
  return { ...form, changed: Object.fromEntries(differing) as Partial<T>, unchanged: differing.length === 0 };
}
