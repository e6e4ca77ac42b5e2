import { HeaderMap } from '@apollo/server';
import { GraphQLError } from './graphql/graphql-js.js';

/** Every `extensions.code` of GraphQL errors, with the HTTP status when the error is the whole answer. */
export const STATUS_OF_API_ERROR = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BAD_USER_INPUT: 400,
  MAX_COST_EXCEEDED: 400,
  THROTTLED: 429,
  IDEMPOTENCY_MISMATCH: 422,
  IDEMPOTENCY_IN_PROGRESS: 409,
  OVERLOADED: 503,
  UNAVAILABLE: 503,
  INTERNAL: 500,
} as const;

export type ApiErrorCode = keyof typeof STATUS_OF_API_ERROR;

/** Machine-readable facts of an error besides its code; in `extensions`. */
export type ErrorFacts = Readonly<Record<string, string | number>>;

/** An error whose message the caller may read. Anything else that is thrown is shown as INTERNAL. */
export class ApiError extends GraphQLError {
  /** Of the answer, where the whole request is refused. */
  readonly headers: Record<string, string>;

  /**
   * @param facts for the caller, besides code and message
   * @param http set when the whole document is rejected: an error in part of an answer has status 200
   */
  constructor(
    readonly code: ApiErrorCode,
    message: string,
    readonly facts: ErrorFacts = {},
    http?: { headers?: Record<string, string> },
  ) {
    const headers = new HeaderMap(Object.entries(http?.headers ?? {}));
    super(message, {
      extensions: {
        code,
        ...(http === undefined ? {} : { http: { status: STATUS_OF_API_ERROR[code], headers } }),
      },
    });
    this.name = 'ApiError';
    this.headers = http?.headers ?? {};
  }
}

export const unauthenticated = () => new ApiError('UNAUTHENTICATED', 'Sign in, or send a service token.');
export const forbidden = () => new ApiError('FORBIDDEN', 'You may not do that.');
/** The tenant that is named is none, or none that the caller may know of. */
export const noSuchTenant = () => new ApiError('NOT_FOUND', 'There is no such tenant.');
export const badInput = (message: string) => new ApiError('BAD_USER_INPUT', message);

/** Postgres is unavailable. A change was applied completely or not at all. */
export const unavailable = () => cannotNow('The database does not answer.');

/** Postgres did not start or finish the transaction in time. Nothing was changed. */
export const outOfTime = () => cannotNow('The database is too busy.');

/** The database has no room for it. Nothing was changed. */
export const exhausted = () => cannotNow('The database is out of disk space, memory or connections.');

const cannotNow = (what: string) =>
  new ApiError(
    'UNAVAILABLE',
    `${what} Try again; with an Idempotency-Key, what was done already is not done twice.`,
    {},
    { headers: { 'retry-after': '1' } },
  );
/** Whether the database, not the caller, is why something failed: the same may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE';
}

export const overloaded = (message: string) => new ApiError('OVERLOADED', message);
