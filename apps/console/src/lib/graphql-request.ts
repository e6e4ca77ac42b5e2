import type { TypedDocumentString } from '../generated/graphql.js';

/** Why a request brought no data: the server's code, or one of the three that the browser finds out itself. */
export type RequestErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'NETWORK'
  | 'BAD_RESPONSE'
  | (string & {});

/** A request that failed as a whole; refusals of input come as `userErrors` in the payload instead. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  constructor(
    readonly code: RequestErrorCode,
    message: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

interface GraphqlResponse<T> {
  data?: T | null;
  errors?: Array<{ message: string; extensions?: { code?: string; requestId?: string } }>;
}

/**
 * Sends one operation with the session cookie and returns its data.
 * @throws RequestError for every failure, so that callers need to know one class only.
 */
export async function graphqlRequest<TResult, TVariables>(
  document: TypedDocumentString<TResult, TVariables>,
  variables: TVariables,
  signal?: AbortSignal,
): Promise<TResult> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    },
    credentials: 'same-origin',
    body: JSON.stringify({ query: document.toString(), variables }),
    signal: signal ?? null,
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new RequestError('NETWORK', 'The control plane cannot be reached.');
  });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = (await response.json().catch(() => undefined)) as GraphqlResponse<TResult> | undefined;
  const first = body?.errors?.[0];
  if (first) {
    const code = first.extensions?.code ?? (response.status === 401 ? 'UNAUTHENTICATED' : 'BAD_RESPONSE');
    throw new RequestError(code, first.message, first.extensions?.requestId ?? requestId);
  }
  if (response.status === 401) throw new RequestError('UNAUTHENTICATED', 'Please sign in.', requestId);
  if (!body?.data) {
    throw new RequestError(
      'BAD_RESPONSE',
      `The control plane answered with status ${response.status}.`,
      requestId,
    );
  }
  return body.data;
}
