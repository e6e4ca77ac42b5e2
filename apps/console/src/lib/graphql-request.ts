import { notifications } from '@mantine/notifications';
import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { TypedDocumentString, UserErrorCode } from '../generated/graphql.js';
import { withSignIn } from './session.js';

/** The server's code, or one of the browser: NETWORK, BAD_RESPONSE, OUTDATED. */
export type RequestErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'NETWORK'
  | 'BAD_RESPONSE'
  | (string & {});

/** A request that failed as a whole; invalid input is reported as `userErrors` in the payload. */
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
 * Sends one operation with the session cookie and returns its data. If it needs a sign-in that
 * the viewer no longer has, asks for it and sends the operation again.
 * Mutations are sent by `sendMutation`.
 * @throws RequestError for every failure, so that callers need to know one class only.
 */
export function graphqlRequest<TResult, TVariables>(
  document: TypedDocumentString<TResult, TVariables>,
  variables: TVariables,
  signal?: AbortSignal,
  idempotencyKey?: string,
): Promise<TResult> {
  return withSignIn(() => requestOnce(document, variables, signal, idempotencyKey));
}

/** As `graphqlRequest`, but never asks for a sign-in. */
export async function requestOnce<TResult, TVariables>(
  document: TypedDocumentString<TResult, TVariables>,
  variables: TVariables,
  signal?: AbortSignal,
  idempotencyKey?: string,
): Promise<TResult> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    credentials: 'same-origin',
    body: JSON.stringify({ query: document.toString(), variables }),
    signal: signal ?? null,
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new RequestError('NETWORK', 'The control plane is unreachable.');
  });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = (await response.json().catch(() => undefined)) as GraphqlResponse<TResult> | undefined;
  const first = body?.errors?.[0];
  if (first) {
    const code = first.extensions?.code ?? (response.status === 401 ? 'UNAUTHENTICATED' : 'BAD_RESPONSE');
    throw new RequestError(code, first.message, first.extensions?.requestId ?? requestId);
  }
  if (response.status === 401) throw new RequestError('UNAUTHENTICATED', 'Sign in to continue.', requestId);
  if (!body?.data) {
    throw new RequestError(
      'BAD_RESPONSE',
      `The control plane responded with status ${response.status}.`,
      requestId,
    );
  }
  return body.data;
}

/** No control plane, one without its database, or a newer one, which lacks the files of this version of the console. */
export type Outage = 'unreachable' | 'unavailable' | 'outdated';

/** The outage that an error reports; undefined for any other error. */
export function outageOf(error: unknown): Outage | undefined {
  if (!(error instanceof RequestError)) return undefined;
  if (error.code === 'NETWORK') return 'unreachable';
  if (error.code === 'OUTDATED') return 'outdated';
  return error.code === 'UNAVAILABLE' ? 'unavailable' : undefined;
}

/** An input error of a mutation; `field` is the path into the input, null for the whole input. */
export interface UserErrorInfo {
  code: UserErrorCode;
  field?: string[] | null;
  message: string;
}

/** A mutation that was rejected because of its input. */
export class UserErrorsError extends Error {
  override readonly name = 'UserErrorsError';
  constructor(readonly userErrors: readonly UserErrorInfo[]) {
    super(userErrors.map((error) => error.message).join(' '));
  }
}

export function throwUserErrors(payload: { userErrors: readonly UserErrorInfo[] }): void {
  if (payload.userErrors.length > 0) throw new UserErrorsError(payload.userErrors);
}

/** Whether a mutation failed because of a concurrent change. */
export function isConflict(error: unknown): boolean {
  return error instanceof UserErrorsError && error.userErrors.some(({ code }) => code === 'CONFLICT');
}

/** Messages by field for a form, and those that belong to no field in `form`. */
export function errorsByField(
  error: unknown,
  fields: readonly string[],
): { byField: Record<string, string>; form: string | undefined } {
  if (error === null || error === undefined) return { byField: {}, form: undefined };
  if (!(error instanceof UserErrorsError)) {
    return { byField: {}, form: error instanceof Error ? error.message : 'The request failed.' };
  }
  const byField: Record<string, string> = {};
  const rest: string[] = [];
  for (const { field, message } of error.userErrors) {
    const name = field?.find((part) => fields.includes(part));
    if (name) byField[name] = message;
    else rest.push(message);
  }
  return { byField, form: rest.length > 0 ? rest.join(' ') : undefined };
}

/** Page size; 20 tiers with limits stay well below the query cost limit. */
const PAGE_SIZE = 20;

interface Page<Node> {
  totalCount?: number;
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

/**
 * Reads a list to its end, page after page; for lists that people write by hand, so that a whole one fits on a screen.
 * @param read asks for one page
 */
export async function everyPage<Node>(
  read: (page: { first: number; after: string | null }) => Promise<Page<Node>>,
): Promise<Node[]> {
  const nodes: Node[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Page<Node> = await read({ first: PAGE_SIZE, after });
    nodes.push(...page.nodes);
    after = page.pageInfo.endCursor ?? null;
    if (!page.pageInfo.hasNextPage || after === null) return nodes;
  }
}

/** The value of a query's one field. */
export const fieldQuery = <Result extends object, Variables>(
  queryKey: QueryKey,
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<Result[keyof Result]> =>
      Object.values(await graphqlRequest(document, variables, signal))[0],
  });

/** A list that is read page by page: its nodes so far and how many there are. */
export const pagedQuery = <
  Result extends Record<string, Page<unknown>>,
  Variables extends { after?: string | null | undefined },
>(
  queryKey: QueryKey,
  document: TypedDocumentString<Result, Variables>,
  variables: Omit<Variables, 'after'>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const result = await graphqlRequest(document, { ...variables, after: pageParam } as Variables, signal);
      return Object.values(result)[0] as Result[keyof Result];
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    select: ({ pages }) => ({
      nodes: pages.flatMap(({ nodes }) => nodes as Array<Result[keyof Result]['nodes'][number]>),
      totalCount: pages[0]?.totalCount,
    }),
  });

/** Shows a notification of a success. */
export const notifyDone = (message: string): void => void notifications.show({ message, color: 'gate' });

/** Returns an error handler that shows a notification with `title`. */
export function notifyFailure(title: string): (error: Error) => void {
  return ({ message }) => void notifications.show({ title, message, color: 'ember', withBorder: true });
}
