import { tagSchema } from '@tollgate/contracts';
import * as z from 'zod';
import type { Impact } from '../graphql/mutation.graphql.js';
import { type UserError, UserErrorCode } from '../graphql/user-error.graphql.js';
import type { Tx } from '../prisma/database.js';

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

/** Fields of every payload. ImpactInterceptor adds the impact of dry runs. */
export function endingOf(outcome: Outcome<unknown>): { changeId: string | null; userErrors: UserError[] } {
  return outcome.ok
    ? { changeId: outcome.changeId, userErrors: [] }
    : { changeId: null, userErrors: outcome.errors };
}

/**
 * The payload of a mutation of one object, which stands under `name`: as it is after the change, or, of a refusal, as it stands
 * where the caller's view of it was old.
 */
export function payloadOf<N extends string, T>(name: N, outcome: Outcome<T>) {
  const object = { [name]: outcome.ok ? outcome.value : outcome.current } as Record<N, T | null>;
  return { ...object, ...endingOf(outcome) };
}

/** Postgres refuses NUL and lone surrogates; other control characters only serve to deceive readers of lists and logs. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const CONTROL_EXCEPT_LINES = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const text = (maxLength: number, forbidden: RegExp) =>
  z
    .string()
    .trim()
    .max(maxLength, `At most ${maxLength} characters`)
    .refine((value) => value.isWellFormed() && !forbidden.test(value), 'Control characters are not allowed');

/** A name for people: 1–80 characters on one line. */
export const displayName = text(80, CONTROL).min(1, 'A name is needed');

/** A description for people, up to 500 characters, in a change of something that has one already. */
export const optionalDescription = text(500, CONTROL_EXCEPT_LINES).nullish();

/** A description for people: up to 500 characters, empty when left out. */
export const description = optionalDescription.transform((value) => value ?? '');

/** A reason or note: up to 500 characters; empty counts as none. */
export const optionalNote = text(500, CONTROL_EXCEPT_LINES)
  .nullish()
  .transform((value) => (value ? value : null));

/** The most labels that one object carries. */
const MAX_TAGS = 20;

/** Labels, each once, in the order of the alphabet. */
export const tags = z
  .array(tagSchema)
  .max(MAX_TAGS, `At most ${MAX_TAGS} tags`)
  .transform((given) => [...new Set(given)].sort());

/** Text of a search field; undefined when empty. */
export function searchTerm(raw: string | null | undefined): string | undefined {
  const term = raw?.trim().slice(0, 100);
  return term?.isWellFormed() && !CONTROL.test(term) ? term : undefined;
}

/** GraphQL lets a caller send null where a default exists: it means the default too. */
export function orDefault<S extends z.ZodType>(schema: S, value: z.output<S>) {
  return schema.nullish().transform((given): z.output<S> => given ?? value);
}

/**
 * Log of the changes of one request, written in their own transactions: a request that is repeated after a crash finds
 * its completed steps instead of repeating them.
 */
export interface StepLog {
  /** The next change of this request; its place among the others is its name. */
  next(): Step;
}

export interface Step {
  /**
   * Claims the step for this transaction; waits for another transaction that holds it.
   * @returns its outcome when it is already done
   */
  begin<T>(tx: Tx): Promise<Done<T> | undefined>;
  /** Stores the outcome of the step; commits with it. */
  finish<T>(tx: Tx, done: Done<T>): Promise<void>;
}
