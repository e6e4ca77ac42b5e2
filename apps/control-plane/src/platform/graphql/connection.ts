import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';

/** The largest page that a list gives out. */
export const MAX_PAGE_SIZE = 100;

/** Default page size of a list. */
export const DEFAULT_PAGE_SIZE = 50;

@ObjectType({ description: 'Where a page lies in its list.' })
export class PageInfo {
  @Field({ description: 'Whether more follows this page.' })
  hasNextPage!: boolean;

  @Field({ description: 'Whether something comes before this page.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first entry.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last entry; pass it as `after`.' })
  endCursor!: string | null;
}

@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_PAGE_SIZE,
    description: 'How many entries, 1 to 100.',
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor after which the page starts.' })
  after?: string | null;
}

/** One page of `T` as resolvers return it. */
export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  nodes: T[];
  pageInfo: PageInfo;
  /** Counted when it is read: nobody pays who does not ask. */
  readonly totalCount: Promise<number>;
}

/** Declares the Relay connection and edge types of `node`. */
export function connectionOf<T>(node: Type<T>, name: string, plural: string): Type<Connection<T>> {
  @ObjectType(`${name}Edge`, { description: `One entry of a page of ${plural}.` })
  class Edge {
    @Field({ description: 'Opaque position in the list.' })
    cursor!: string;

    @Field(() => node, { description: 'The entry itself.' })
    node!: T;
  }

  @ObjectType(`${name}Connection`, { description: `One page of ${plural}.` })
  class ConnectionType {
    @Field(() => [Edge], { description: 'Entries with their cursors.' })
    edges!: Edge[];

    @Field(() => [node], { description: 'The entries, for when cursors do not matter.' })
    nodes!: T[];

    @Field(() => PageInfo, { description: 'Where the page lies in the list.' })
    pageInfo!: PageInfo;

    @Field(() => Int, { description: 'How many entries match, over all pages.' })
    readonly totalCount!: Promise<number>;
  }
  return ConnectionType;
}
