import type { IncomingHttpHeaders } from 'node:http';
import { HeaderMap } from '@apollo/server';
import type { Permission } from './access/permissions.js';
import { GraphQLError } from './graphql/graphql-js.js';

/** Codes of GraphQL errors with the HTTP status if the whole request fails. */
export const STATUS_OF_API_ERROR = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  SESSION_NOT_FRESH: 403,
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

/** Additional `extensions`. */
export type ErrorFacts = Readonly<Record<string, string | number>>;

/** An error with a message for the caller. All other errors are reported as INTERNAL. */
export class ApiError extends GraphQLError {
  readonly headers: Record<string, string>;

  /** @param http set if the whole document is rejected; an error in a part of the response has status 200 */
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

export const unauthenticated = ({ authorization }: IncomingHttpHeaders) =>
  new ApiError(
    'UNAUTHENTICATED',
    authorization === undefined
      ? 'Sign in, or send a service token.'
      : 'The service token is not valid: it is unknown, expired or revoked.',
  );
/** @param where it is required, such as `for all tenants`, if the caller has it elsewhere */
export const forbidden = (permission: Permission, where = '') =>
  new ApiError('FORBIDDEN', `This requires the permission ${`${permission} ${where}`.trim()}.`, {
    permission,
  });
/** For tokens without a permission of this API. */
export const noAccess = () =>
  new ApiError('FORBIDDEN', 'The scopes of this service token are for the decision API only.');
export const foreignOrigin = () => new ApiError('FORBIDDEN', 'Foreign origin.');
/** Also for tenants that the caller may not see. */
export const noSuchTenant = () => new ApiError('NOT_FOUND', 'Tenant not found.');
export const badInput = (message: string) => new ApiError('BAD_USER_INPUT', message);

/** Postgres is unavailable. The change was applied completely or not at all. */
export const unavailable = () => cannotNow('The database is unavailable.');

/** Postgres did not start or finish the transaction in time. Nothing changed. */
export const outOfTime = () => cannotNow('The database is too busy.');

/** Postgres has no disk space, memory or connections left. Nothing changed. */
export const exhausted = () => cannotNow('The database is out of disk space, memory or connections.');

const cannotNow = (what: string) =>
  new ApiError(
    'UNAVAILABLE',
    `${what} Try again. With an Idempotency-Key, completed changes are not repeated.`,
    {},
    { headers: { 'retry-after': '1' } },
  );
/** Whether the database is the cause, so that a retry can succeed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE';
}

export const overloaded = (message: string) => new ApiError('OVERLOADED', message);
