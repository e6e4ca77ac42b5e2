import type { GraphQLField, GraphQLOutputType, OperationTypeNode } from 'graphql';
import { getNamedType, isLeafType, isListType, isNonNullType, isObjectType } from '../graphql-js.js';

/**
 * What a root field costs: a mutation writes, locks and is told to every node; a subscription holds a stream open, and its
 * start pays for all of it.
 */
const ROOT_PRICE: Record<OperationTypeNode, number> = { query: 1, mutation: 10, subscription: 10 };

/** Entries that a list without pages is taken to have until it is known. */
const USUAL_LIST_LENGTH = 10;

const OBJECT_PRICE = 1;

/**
 * What one value of a field costs, before what is selected in it: objects 1, scalars nothing.
 * `@Field({ complexity })` sets another price where a field asks more of us.
 */
export function priceOf(field: GraphQLField<unknown, unknown>): number {
  return declaredPrice(field) ?? (isLeafType(getNamedType(field.type)) ? 0 : OBJECT_PRICE);
}

/** What a root field costs; `@Query({ complexity })` and the like set another price. */
export function rootPriceOf(operation: OperationTypeNode, field: GraphQLField<unknown, unknown>): number {
  return declaredPrice(field) ?? ROOT_PRICE[operation];
}

function declaredPrice({ extensions }: GraphQLField<unknown, unknown>): number | undefined {
  return typeof extensions.complexity === 'number' ? extensions.complexity : undefined;
}

/** How many values a list without pages is taken to hold: `@Extensions({ usualLength })` on the field, else 10. */
export function usualLength(field: GraphQLField<unknown, unknown>): number {
  const { usualLength: declared } = field.extensions;
  return typeof declared === 'number' ? declared : USUAL_LIST_LENGTH;
}

export function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** Whether a type is one page of a list. */
export function isConnection(type: GraphQLOutputType): boolean {
  const named = getNamedType(type);
  return isObjectType(named) && named.name.endsWith('Connection') && 'pageInfo' in named.getFields();
}
