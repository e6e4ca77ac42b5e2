import { tagSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { type Impact, type UserError, UserErrorCode } from '../graphql/mutation.graphql.js';
import { refinePrintable } from '../printable/printable.js';
import type { Tx } from '../prisma/database.js';

/** Result of a mutation. For a refusal, `current` is the present object if the caller has an old version. */
export type Outcome<T> = Done<T> | Refusal<T>;

export interface Done<T> {
  ok: true;
  value: T;
  /** Null after a dry run. */
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
  userError(UserErrorCode.TAKEN, field, `${what} is already in use.`);

export const conflict = (what: string) =>
  userError(
    UserErrorCode.CONFLICT,
    ['expectedVersion'],
    `This ${what} was changed in the meantime. Review it and try again.`,
  );

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

/** The values of a list of inputs; errors have the index of their input before their field. */
export function parseInputs<S extends z.ZodType>(
  schema: S,
  inputs: readonly unknown[],
): { ok: true; data: z.output<S>[] } | { ok: false; errors: UserError[] } {
  const parsed = inputs.map((input) => parseInput(schema, input));
  const errors = parsed.flatMap((one, index) => (one.ok ? [] : errorsAt(index, one.errors)));
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, data: parsed.flatMap((one) => (one.ok ? [one.data] : [])) };
}

/** Errors of one input of a list, with its index before their fields. */
export function errorsAt(index: number, errors: readonly UserError[]): UserError[] {
  return errors.map((error) => ({ ...error, field: [String(index), ...(error.field ?? [])] }));
}

/** The result for the only input of a list. */
export function onlyOf<T>(result: T[] | Refusal<T[]>): T | Refusal<T> {
  if (!('ok' in result)) return result[0] as T;
  const errors = result.errors.map((error) => {
    const [, ...field] = error.field ?? [];
    return { ...error, field: field.length === 0 ? null : field };
  });
  return refuse(errors, result.current?.[0] ?? null);
}

export function endingOf(outcome: Outcome<unknown>): { changeId: string | null; userErrors: UserError[] } {
  return outcome.ok
    ? { changeId: outcome.changeId, userErrors: [] }
    : { changeId: null, userErrors: outcome.errors };
}

/** The payload of a mutation with the changed object under `name`; for a refusal, the present object. */
export function payloadOf<N extends string, T>(name: N, outcome: Outcome<T>) {
  const object = { [name]: outcome.ok ? outcome.value : outcome.current } as Record<N, T | null>;
  return { ...object, ...endingOf(outcome) };
}

/** Postgres rejects NUL and lone surrogates; other control characters can deceive readers. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const CONTROL_EXCEPT_LINES = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const VISIBLE = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** A text without the `forbidden` characters; not one of joiners or selectors alone, which would look empty. */
export const text = (maxLength: number, forbidden: RegExp) =>
  z
    .string()
    .trim()
    // Later checks of a longer text, of up to the size of a request, would take seconds.
    .max(maxLength, { error: `At most ${maxLength} characters`, abort: true })
    .refine((value) => value.isWellFormed() && !forbidden.test(value), {
      error: 'Control characters are not allowed',
      abort: true,
    })
    .refine((value) => value === '' || VISIBLE.test(value), 'Enter at least one visible character');

/** Mails to people outside of the installation contain names. */
const LINK = /:\/\/|www\./i;

export const displayName = text(80, CONTROL)
  .min(1, 'Enter a name')
  .refine((name) => !LINK.test(name), 'A name cannot contain a link. Remove “://” and “www.”');

/** A name that invoices and receipts print. */
export const printedName = displayName.superRefine(refinePrintable);

export const optionalDescription = text(500, CONTROL_EXCEPT_LINES).nullish();

/** Empty by default. */
export const description = optionalDescription.transform((value) => value ?? '');

/** Null if empty. */
export const optionalNote = text(500, CONTROL_EXCEPT_LINES)
  .nullish()
  .transform((value) => (value ? value : null));

/** A note that must not be empty: up to 500 characters. */
export const requiredNote = (message: string) => text(500, CONTROL_EXCEPT_LINES).min(1, message);

const MAX_TAGS = 20;

/** Sorted, without duplicates. */
export const tags = z
  .array(tagSchema)
  .max(MAX_TAGS, `At most ${MAX_TAGS} tags`)
  .transform((given) => [...new Set(given)].sort());

/** Undefined if empty. */
export function searchTerm(raw: string | null | undefined): string | undefined {
  const term = raw?.trim().slice(0, 100);
  return term?.isWellFormed() && !CONTROL.test(term) ? term : undefined;
}

/** Applies the default for null too, because GraphQL clients may send null. */
export function orDefault<S extends z.ZodType>(schema: S, value: z.output<S>) {
  return schema.nullish().transform((given): z.output<S> => given ?? value);
}

/** As {@link orDefault}, with the default in the GraphQL schema. */
export function withDefault<S extends z.ZodType>(schema: S, value: z.output<S>) {
  return orDefault(schema, value).meta({ defaultValue: value });
}

/** The object with the given values; omitted and null ones keep theirs. */
export function withChanges<T extends object>(
  before: T,
  given: { [K in keyof T]?: T[K] | null | undefined },
): T {
  const names = Object.keys(before) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? before[name]])) as T;
}

/** Completed changes of a request with an Idempotency-Key, so that a retry after a crash does not repeat them. */
export interface StepLog {
  /** Steps are identified by their position in the request. */
  next(): Step;
}

export interface Step {
  /** Claims the step, waiting for concurrent transactions. Returns the outcome of a completed step. */
  begin<T>(tx: Tx): Promise<Done<T> | undefined>;
  /** Stores the outcome; commits with the transaction. */
  finish<T>(tx: Tx, done: Done<T>): Promise<void>;
}
