import type { DocumentNode } from 'graphql';
import { GraphQLError, Kind, parse } from '../graphql-js.js';
import { beyond, DOCUMENT_LIMITS, type DocumentLimit } from './document-limits.js';
import { CircularFragmentError, type DocumentShape, measureOperation } from './document-shape.js';

export interface GraphqlBody {
  query?: unknown;
  variables?: unknown;
}

const COUNTED = [
  'depth',
  'fields',
  'aliases',
  'directives',
  'inputDepth',
  'introspectionDepth',
] as const satisfies (DocumentLimit & keyof DocumentShape)[];

const TOO_MANY_TOKENS = /^Syntax Error: Document contains more/;

/**
 * Says why a document must not get in, or undefined. Looks at its shape alone, before it is held against the schema:
 * validation itself takes time that grows faster than the text. A body that is no GraphQL request is left to the door.
 */
export function screenDocument(
  body: GraphqlBody,
  { introspection }: { introspection: boolean },
): string | undefined {
  const { query, variables } = body;
  if (typeof query !== 'string') return undefined;
  if (query.length > DOCUMENT_LIMITS.characters) return beyond('characters');
  if (isDeeper(variables, DOCUMENT_LIMITS.inputDepth)) return beyond('inputDepth');
  try {
    const document = parse(query, { maxTokens: DOCUMENT_LIMITS.tokens, noLocation: true });
    return findFault(document, introspection);
  } catch (error) {
    if (error instanceof CircularFragmentError) return error.message;
    if (!(error instanceof GraphQLError)) throw error;
    // The parser stops at the first token too many; what else is wrong it says with its place.
    return TOO_MANY_TOKENS.test(error.message) ? beyond('tokens') : error.message.slice(0, 500);
  }
}

function findFault(document: DocumentNode, introspection: boolean): string | undefined {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length > DOCUMENT_LIMITS.operations) return beyond('operations');
  for (const operation of operations) {
    const shape = measureOperation(document, operation);
    if (shape.introspects && !introspection)
      return 'Introspection is off here. The schema is shown on the explorer page, and committed as schema.graphql.';
    const exceeded = COUNTED.find((limit) => shape[limit] > DOCUMENT_LIMITS[limit]);
    if (exceeded !== undefined) return beyond(exceeded);
  }
  return undefined;
}

/** Without recursion beyond `levels`, whatever comes in. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
