import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { ApiError } from '../../errors/api-error.js';
import type { GraphqlContext } from '../context.js';
import { DOCUMENT_LIMITS } from '../documents/document-limits.js';
import {
  createSourceEventStream,
  execute,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from '../graphql-js.js';

/** A subscription that may be run. */
export interface CheckedSubscription {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  operationName: string | undefined;
}

/** What a body asks for. @throws ApiError, or the GraphQLError of parsing and validation */
export function checkSubscription(
  schema: GraphQLSchema,
  body: { query?: unknown; variables?: unknown; operationName?: unknown },
): CheckedSubscription {
  const { query, variables, operationName } = body;
  if (typeof query !== 'string') throw new ApiError('BAD_USER_INPUT', 'The body holds no query.');
  const document = parse(query, { maxTokens: DOCUMENT_LIMITS.tokens });
  const [error] = validate(schema, document, [...specifiedRules, NoSchemaIntrospectionCustomRule]);
  if (error !== undefined) throw new ApiError('BAD_USER_INPUT', withoutHints(error.message));
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = getOperationAST(document, name);
  if (operation?.operation !== 'subscription') {
    throw new ApiError(
      'BAD_USER_INPUT',
      'Only subscriptions are streamed; anything else is asked at /graphql.',
    );
  }
  const given = typeof variables === 'object' && variables !== null ? variables : {};
  return { document, operation, variables: given as Record<string, unknown>, operationName: name };
}

/** Runs a subscription until its source ends or `closed` is aborted. Each event is answered from what is there then. */
export async function* runSubscription(
  schema: GraphQLSchema,
  { document, variables, operationName }: CheckedSubscription,
  contextValue: GraphqlContext,
  closed: AbortSignal,
): AsyncGenerator<ExecutionResult> {
  const args: ExecutionArgs = { schema, document, contextValue, variableValues: variables, operationName };
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) {
    yield source;
    return;
  }
  const events = source[Symbol.asyncIterator]();
  const end = () => void events.return?.();
  closed.addEventListener('abort', end, { once: true });
  try {
    while (!closed.aborted) {
      const event = await events.next();
      if (event.done === true) return;
      contextValue.loaders.clear();
      yield await execute({ ...args, rootValue: event.value });
    }
  } finally {
    closed.removeEventListener('abort', end);
    end();
  }
}

/** Names of the schema are for those who may see it. */
function withoutHints(message: string): string {
  return message.replace(/ Did you mean .*$/s, '');
}
