import type { Type } from '@nestjs/common';
import { ArgsType, Field, ID, Int, InterfaceType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { badInput } from '../api-error.js';
import { type IdKind, kindOfId } from '../ids.js';
import { isStorable, readJson } from '../text.js';
import { ArgsOf, field, ObjectOf } from './object-of.js';

export const MAX_PAGE_SIZE = 100;

export const DEFAULT_PAGE_SIZE = 50;

/** Points of a count, which reads all entries of the list: as much work as 20 of them. */
const COUNT_PRICE = 20;

@ObjectType({ description: 'Position of a page in its list.' })
export class PageInfo extends ObjectOf({
  hasNextPage: field.boolean('Whether there is a next page.'),
  hasPreviousPage: field.boolean('Whether there is a previous page.'),
  startCursor: field.string('Cursor of the first entry.').nullable(),
  endCursor: field.string('Cursor of the last entry; pass it as `after`.').nullable(),
}) {}

@ArgsType()
export class PageArgs extends ArgsOf({
  first: field.int('Page size, 1 to 100.').optional(DEFAULT_PAGE_SIZE),
  after: field.string('Cursor of the entry before the page.').optional(),
}) {}

export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  nodes: T[];
  pageInfo: PageInfo;
  /** Counted only if selected. */
  readonly totalCount: Promise<number>;
}

/** Declares the Relay connection and edge types of `node`. */
export function connectionOf<T>(node: Type<T>, name: string, plural: string): Type<Connection<T>> {
  @ObjectType(`${name}Edge`, { description: `One entry of a page of ${plural}.` })
  class Edge {
    @Field({ description: 'Opaque position in the list.' })
    cursor!: string;

    @Field(() => node, { description: 'The entry.' })
    node!: T;
  }

  @ObjectType(`${name}Connection`, { description: `One page of ${plural}.` })
  class ConnectionType {
    @Field(() => [Edge], { description: 'Entries with their cursors.' })
    edges!: Edge[];

    @Field(() => [node], { description: 'Entries without cursors.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Position of the page in the list.' })
    pageInfo!: PageInfo;

    @Field(() => Int, { complexity: COUNT_PRICE, description: 'Number of entries over all pages.' })
    readonly totalCount!: Promise<number>;
  }
  return ConnectionType;
}

@InterfaceType({
  description: 'An object that can be fetched by its id.',
  resolveType: (value) => value.__typename,
})
export abstract class Node {
  @Field(() => ID, { description: 'Global id, with a prefix for its type.' })
  id!: string;
}

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

/** Schema of positions in a list that is ordered by ids of this kind. */
export const idOf = (kind: IdKind) => z.string().refine((id) => kindOfId(id) === kind);

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

interface PagedList<T, F, C> {
  /** The rows of the page, and one more if there is a next page. */
  list(filter: F, page: Page<C>): Promise<T[]>;
  count(filter: F): Promise<number>;
}

/**
 * Reads the page of `list` that `args` select. `placeOf` returns the position of a row.
 * @throws ApiError BAD_USER_INPUT if `first` or `after` is invalid
 */
export async function readPage<T, F, C>(
  args: PageArgs,
  codec: CursorCodec<C>,
  placeOf: (row: T) => C,
  list: PagedList<T, F, C>,
  filter: F,
): Promise<Connection<T>> {
  const page = parsePage(args, codec);
  const rows = await list.list(filter, page);
  return toConnection(
    rows,
    page,
    (row) => codec.encode(placeOf(row)),
    () => list.count(filter),
  );
}
