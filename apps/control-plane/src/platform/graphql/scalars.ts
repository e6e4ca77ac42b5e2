import { isStorable, UNSTORABLE_TEXT } from '../text.js';
import {
  GraphQLError,
  GraphQLID,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  valueFromASTUntyped,
} from './graphql-js.js';

/** @throws GraphQLError for text that Postgres cannot store */
function storable<T>(value: T): T {
  if (isStorable(value)) return value;
  throw new GraphQLError(UNSTORABLE_TEXT, { extensions: { code: 'BAD_USER_INPUT' } });
}

// Extended in place, because introspection refers to these scalars of graphql-js.
for (const scalar of [GraphQLString, GraphQLID]) {
  const { parseValue, parseLiteral } = scalar;
  scalar.parseValue = (value) => storable(parseValue(value));
  scalar.parseLiteral = (node, variables) => storable(parseLiteral(node, variables));
}

const MAX = BigInt(Number.MAX_SAFE_INTEGER);
const SAFE_INT_RULE = `SafeInt must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;

function toSafeInt(value: unknown): number {
  if (typeof value === 'bigint' && value >= 0n && value <= MAX) return Number(value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new GraphQLError(`${SAFE_INT_RULE}, got ${describe(value)}`, {
    extensions: { code: 'BAD_USER_INPUT' },
  });
}

function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : `a ${typeof value}`;
}

export const SafeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A whole number from 0 to 2^53 - 1.',
  serialize: toSafeInt,
  parseValue: toSafeInt,
  parseLiteral: (node) => {
    if (node.kind !== Kind.INT) {
      throw new GraphQLError(SAFE_INT_RULE, { nodes: node, extensions: { code: 'BAD_USER_INPUT' } });
    }
    // Number('9007199254740993') would be rounded.
    return toSafeInt(BigInt(node.value));
  },
});

const ISO_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function parseInstant(value: unknown): Date {
  const date = typeof value === 'string' && ISO_INSTANT.test(value) ? new Date(value) : undefined;
  if (date === undefined || Number.isNaN(date.getTime())) {
    throw new GraphQLError(
      'DateTime must be an ISO 8601 instant with its zone, such as 2026-11-20T09:00:00Z',
      {
        extensions: { code: 'BAD_USER_INPUT' },
      },
    );
  }
  return date;
}

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant in ISO 8601. Responses are in UTC.',
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    throw new TypeError('DateTime serializes Date objects only');
  },
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
});

/** Output only, such as recorded values of audit entries. */
export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value, as recorded.',
  parseValue: () => {
    throw new GraphQLError('JSON is not accepted as input', { extensions: { code: 'BAD_USER_INPUT' } });
  },
});

function toJsonObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new GraphQLError('JSONObject must be an object', { extensions: { code: 'BAD_USER_INPUT' } });
}

/** The consumer validates it. */
export const JsonObject = new GraphQLScalarType<Record<string, unknown>>({
  name: 'JSONObject',
  description: 'A JSON object.',
  serialize: toJsonObject,
  parseValue: (value) => storable(toJsonObject(value)),
  parseLiteral: (node, variables) => storable(toJsonObject(valueFromASTUntyped(node, variables))),
});
