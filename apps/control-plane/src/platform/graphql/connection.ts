import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { ArgsOf, field, ObjectOf } from './object-of.js';

export const MAX_PAGE_SIZE = 100;

export const DEFAULT_PAGE_SIZE = 50;

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

    @Field(() => Int, { description: 'Number of entries over all pages.' })
    readonly totalCount!: Promise<number>;
  }
  return ConnectionType;
}
