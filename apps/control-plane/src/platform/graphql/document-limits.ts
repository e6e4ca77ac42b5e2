import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  ValueNode,
} from 'graphql';
import { GraphQLError, Kind, Lexer, parse, Source, TokenKind } from './graphql-js.js';

/** Limits on a document, measured with fragments expanded. */
export const DOCUMENT_LIMITS = {
  /** UTF-16 code units. */
  characters: 16_384,
  tokens: 1000,
  operations: 10,
  depth: 12,
  /** Below `__schema` and `__type`. */
  introspectionDepth: 15,
  fields: 1000,
  aliases: 15,
  directives: 20,
  /** Nested lists and objects in an argument or variable. */
  inputDepth: 12,
} as const;

export type DocumentLimit = keyof typeof DOCUMENT_LIMITS;

const WORDS: Record<DocumentLimit, string> = {
  characters: 'characters',
  tokens: 'tokens',
  operations: 'operations',
  depth: 'levels of depth',
  introspectionDepth: 'levels of introspection depth',
  fields: 'fields',
  aliases: 'aliases',
  directives: 'directives',
  inputDepth: 'levels of input depth',
};

function beyond(limit: DocumentLimit): string {
  return `The document is too large: at most ${DOCUMENT_LIMITS[limit]} ${WORDS[limit]} are allowed. Split it.`;
}

export interface DocumentShape {
  depth: number;
  introspectionDepth: number;
  fields: number;
  aliases: number;
  directives: number;
  inputDepth: number;
  introspects: boolean;
}

export class CircularFragmentError extends Error {
  constructor(name: string) {
    super(`Fragment "${name.slice(0, 40)}" contains itself.`);
  }
}

const EMPTY: DocumentShape = {
  depth: 0,
  introspectionDepth: 0,
  fields: 0,
  aliases: 0,
  directives: 0,
  inputDepth: 0,
  introspects: false,
};

/** Measures an operation without a schema, each fragment once. @throws CircularFragmentError */
export function measureOperation(document: DocumentNode, operation: OperationDefinitionNode): DocumentShape {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const inside = new ShapeWalk(fragments).measure(operation.selectionSet);
  const directives = inside.directives + (operation.directives?.length ?? 0);
  return { ...inside, directives };
}

class ShapeWalk {
  private readonly known = new Map<string, DocumentShape>();
  private readonly open = new Set<string>();

  constructor(private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>) {}

  measure({ selections }: SelectionSetNode): DocumentShape {
    const sum = { ...EMPTY };
    for (const selection of selections) {
      sum.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        // Counts as a level; nothing else limits nested inline fragments.
        const inside = this.measure(selection.selectionSet);
        add(sum, { ...inside, depth: inside.depth + 1 });
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        add(sum, this.measureFragment(selection.name.value));
      } else {
        sum.fields += 1;
        if (selection.alias !== undefined) sum.aliases += 1;
        for (const argument of selection.arguments ?? [])
          sum.inputDepth = Math.max(sum.inputDepth, literalDepth(argument.value));
        const inside = selection.selectionSet === undefined ? EMPTY : this.measure(selection.selectionSet);
        const isMeta = ['__schema', '__type'].includes(selection.name.value);
        add(sum, {
          ...inside,
          introspects: inside.introspects || isMeta,
          depth: isMeta ? 0 : inside.depth + 1,
          introspectionDepth: isMeta ? inside.depth + 1 : inside.introspectionDepth,
        });
      }
    }
    return sum;
  }

  private measureFragment(name: string): DocumentShape {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const fragment = this.fragments.get(name);
    // Validation reports the unknown fragment.
    if (fragment === undefined) return EMPTY;
    if (this.open.has(name)) throw new CircularFragmentError(name);
    this.open.add(name);
    const shape = this.measure(fragment.selectionSet);
    this.open.delete(name);
    this.known.set(name, shape);
    return shape;
  }
}

function add(sum: DocumentShape, more: DocumentShape): void {
  sum.depth = Math.max(sum.depth, more.depth);
  sum.introspectionDepth = Math.max(sum.introspectionDepth, more.introspectionDepth);
  sum.inputDepth = Math.max(sum.inputDepth, more.inputDepth);
  sum.fields += more.fields;
  sum.aliases += more.aliases;
  sum.directives += more.directives;
  sum.introspects ||= more.introspects;
}

function literalDepth(value: ValueNode): number {
  if (value.kind === Kind.LIST) return 1 + Math.max(0, ...value.values.map(literalDepth));
  if (value.kind === Kind.OBJECT)
    return 1 + Math.max(0, ...value.fields.map((field) => literalDepth(field.value)));
  return 0;
}

export interface GraphqlBody {
  query?: unknown;
  variables?: unknown;
  operationName?: unknown;
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

/** Checks a document before validation, whose time grows faster than the text. Returns an error message. */
export function screenDocument({ query, variables, operationName }: GraphqlBody): string | undefined {
  if (typeof query !== 'string') return undefined;
  if (query.length > DOCUMENT_LIMITS.characters) return beyond('characters');
  if (isDeeper(variables, DOCUMENT_LIMITS.inputDepth)) return beyond('inputDepth');
  try {
    const document = parse(query, { maxTokens: DOCUMENT_LIMITS.tokens, noLocation: true });
    return findFault(document) ?? findNameFault(document, operationName);
  } catch (error) {
    if (error instanceof CircularFragmentError) return error.message;
    if (!(error instanceof GraphQLError)) throw error;
    // The parser stops at the token limit; other syntax errors contain their position.
    return TOO_MANY_TOKENS.test(error.message) ? beyond('tokens') : error.message.slice(0, 500);
  }
}

/** Checks that the different documents of a request together are no larger than one may be. Returns an error message. */
export function screenDocuments(queries: readonly string[]): string | undefined {
  const characters = queries.reduce((sum, query) => sum + query.length, 0);
  if (characters > DOCUMENT_LIMITS.characters) return beyond('characters');
  const tokens = queries.reduce((sum, query) => sum + countTokens(query), 0);
  return tokens > DOCUMENT_LIMITS.tokens ? beyond('tokens') : undefined;
}

/** Up to the first syntax error, which the check of the document reports. */
function countTokens(query: string): number {
  const lexer = new Lexer(new Source(query));
  let tokens = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) tokens += 1;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
  return tokens;
}

/** Without it, the name that the request gives selects exactly one operation. */
function findNameFault(document: DocumentNode, operationName: unknown): string | undefined {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document contains no operation. Add a query or mutation.';
  if (operationName === undefined || operationName === null) {
    if (operations.length === 1) return undefined;
    return `The document contains ${operations.length} operations. Set operationName to the name of the one to run.`;
  }
  if (operations.some(({ name }) => name?.value === operationName)) return undefined;
  const shown = JSON.stringify(operationName).slice(0, 100);
  return `The document contains no operation with the operationName ${shown}. Use the name of one of its operations.`;
}

function findFault(document: DocumentNode): string | undefined {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operations.length > DOCUMENT_LIMITS.operations) return beyond('operations');
  for (const operation of operations) {
    const shape = measureOperation(document, operation);
    const exceeded = COUNTED.find((limit) => shape[limit] > DOCUMENT_LIMITS[limit]);
    if (exceeded !== undefined) return beyond(exceeded);
  }
  return undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
