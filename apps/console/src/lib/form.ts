import dayjs from 'dayjs';
import { useState } from 'react';
import { errorsByField, type UserErrorInfo, UserErrorsError } from './graphql-request.js';

/** Binds inputs to values: `{...bind('name')}` gives an input its value, its error and its handler. */
export const bindFields =
  <T extends object>(values: T, set: (part: Partial<T>) => void, errors: Record<string, string>) =>
  <F extends keyof T & string>(field: F) => ({
    value: values[field],
    error: errors[field],
    // Text inputs pass an event, other inputs their value.
    onChange: (change: unknown) => {
      const isEvent = change instanceof Object && 'currentTarget' in change;
      const value = isEvent ? (change.currentTarget as HTMLInputElement).value : change;
      if (value !== null) set({ [field]: value } as Partial<T>);
    },
  });

/** Form values, and `bind` to connect inputs to them and to `errors` by field. */
export function useFields<T extends object>(errors: Record<string, string>, initial: T) {
  const [values, setValues] = useState(initial);
  const set = (part: Partial<T>) => setValues((now) => ({ ...now, ...part }));
  return { values, set, bind: bindFields(values, set, errors) };
}

/** Form values and server errors by field; spread `review` into the review of the change. */
export function useForm<T extends object>(initial: T) {
  const [refused, setRefused] = useState<readonly UserErrorInfo[]>([]);
  const { byField } = errorsByField(new UserErrorsError(refused), Object.keys(initial));
  return {
    ...useFields(byField, initial),
    byField,
    review: { fields: Object.keys(initial), onRefused: setRefused, onTried: setRefused },
  };
}

/** A form for an existing object; `changed` holds the values that differ from it. */
export function useEditForm<T extends object>(original: T) {
  const form = useForm(original);
  const differing = Object.entries(form.values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(original[field as keyof T]),
  );
  return { ...form, changed: Object.fromEntries(differing) as Partial<T>, unchanged: differing.length === 0 };
}

/** Lifetimes in days, for a picker; the empty text is no end. */
export const LIFETIMES = [
  { value: '', label: 'No end date' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

/** Hours for which a rotated credential stays valid, for a picker. */
export const OVERLAP_HOURS = [
  { value: '0', label: 'Expire immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
];

/** The end of a number of days from now; null for an empty text. */
export const endOfLifetime = (days: string): string | null =>
  days === '' ? null : dayjs().add(Number(days), 'day').toISOString();

/** `URL shortener` to `url-shortener`. May be empty. */
export function keyFromName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '');
}
