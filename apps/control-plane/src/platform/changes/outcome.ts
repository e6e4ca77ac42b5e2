import type * as z from 'zod';
import type { Impact } from '../graphql/mutation.graphql.js';
import { type UserError, UserErrorCode } from '../graphql/user-error.graphql.js';

/**
 * How a mutation ended. A refusal is a value, not an exception: nothing was changed, `errors` say why, and `current`
 * is the object as it stands when the caller's view of it was old.
 */
export type Outcome<T> = Done<T> | Refusal<T>;

export interface Done<T> {
  ok: true;
  value: T;
  /** Null after a dry run: there is nothing to follow. */
  changeId: string | null;
  /** Of a dry run that changes policy. */
  impact: Impact | null;
}

export interface Refusal<T> {
  ok: false;
  errors: UserError[];
  current: T | null;
}

export function refuse<T>(errors: UserError[], current: T | null = null): Refusal<T> {
  return { ok: false, errors, current };
}

export function userError(code: UserErrorCode, field: string[] | null, message: string): UserError {
  return { code, field, message };
}

export const invalid = (field: string[], message: string) => userError(UserErrorCode.INVALID, field, message);

export const notFound = (field: string[], what: string) =>
  userError(UserErrorCode.NOT_FOUND, field, `There is no ${what}.`);

export const taken = (field: string[], what: string) =>
  userError(UserErrorCode.TAKEN, field, `${what} is in use already.`);

export const conflict = (what: string) =>
  userError(
    UserErrorCode.CONFLICT,
    ['expectedVersion'],
    `Someone changed this ${what} in the meantime. Look at it again, then repeat the change.`,
  );

/** Checks an input against `schema`; problems come back as user errors with their paths. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
): { ok: true; data: z.output<S> } | { ok: false; errors: UserError[] } {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, data: parsed.data };
  const errors = parsed.error.issues.map((issue) =>
    userError(UserErrorCode.INVALID, issue.path.map(String), issue.message),
  );
  return { ok: false, errors };
}
