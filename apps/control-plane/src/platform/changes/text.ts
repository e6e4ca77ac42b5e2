import { tagSchema } from '@tollgate/contracts';
import * as z from 'zod';

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

/** What someone typed into a search field; undefined when that is nothing. */
export function searchTerm(raw: string | null | undefined): string | undefined {
  const term = raw?.trim().slice(0, 100);
  return term?.isWellFormed() && !CONTROL.test(term) ? term : undefined;
}

/** GraphQL lets a caller send null where a default exists: it means the default too. */
export function orDefault<S extends z.ZodType>(schema: S, value: z.output<S>) {
  return schema.nullish().transform((given): z.output<S> => given ?? value);
}
