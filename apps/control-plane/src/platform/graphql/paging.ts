import * as z from 'zod';
import { badInput } from '../api-error.js';
import { isStorable, readJson } from '../text.js';
import { type Connection, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageArgs } from './connection.js';

export interface Page<C> {
  first: number;
  after: C | undefined;
}

/** Converts between positions in a list and opaque cursors. */
export interface CursorCodec<C> {
  encode(place: C): string;
  /** @throws ApiError BAD_USER_INPUT */
  decode(cursor: string): C;
}

/** `list` prevents the use of a cursor with another list. */
export function cursorCodec<C>(list: string, place: z.ZodType<C>): CursorCodec<C> {
  const schema = z.tuple([z.literal(list), place]);
  return {
    encode: (value) => Buffer.from(JSON.stringify([list, value])).toString('base64url'),
    decode: (cursor) => {
      const parsed = schema.safeParse(readJson(Buffer.from(cursor, 'base64url').toString()));
      if (!parsed.success || !isStorable(parsed.data[1]))
        throw badInput('after is not a cursor of this list');
      return parsed.data[1];
    },
  };
}

/** @throws ApiError BAD_USER_INPUT */
export function parsePage<C>(args: PageArgs, codec: CursorCodec<C>): Page<C> {
  const first = args.first ?? DEFAULT_PAGE_SIZE;
  if (first < 1 || first > MAX_PAGE_SIZE) throw badInput(`first must be 1 to ${MAX_PAGE_SIZE}`);
  return { first, after: args.after == null ? undefined : codec.decode(args.after) };
}

/** @param rows up to `page.first + 1`; the additional row shows that there is a next page */
export function toConnection<T, C>(
  rows: T[],
  page: Page<C>,
  cursorOf: (row: T) => string,
  count: () => Promise<number>,
): Connection<T> {
  const edges = rows.slice(0, page.first).map((node) => ({ cursor: cursorOf(node), node }));
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: {
      hasNextPage: rows.length > page.first,
      hasPreviousPage: page.after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    get totalCount() {
      return count();
    },
  };
}
