import { GraphQLError } from '../graphql/graphql-js.js';

/** Every `extensions.code` that the GraphQL door answers with; `OVERLOADED` is for the live view alone. */
export type ApiErrorCode = 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_USER_INPUT' | 'OVERLOADED' | 'INTERNAL';

/** An error whose message the caller may read. Anything else that is thrown is shown as INTERNAL. */
export class ApiError extends GraphQLError {
  constructor(code: ApiErrorCode, message: string) {
    super(message, { extensions: { code } });
    this.name = 'ApiError';
  }
}

export const unauthenticated = () => new ApiError('UNAUTHENTICATED', 'Sign in, or send a service token.');
export const forbidden = () => new ApiError('FORBIDDEN', 'You may not do that.');
export const badInput = (message: string) => new ApiError('BAD_USER_INPUT', message);

export const overloaded = (message: string) => new ApiError('OVERLOADED', message);
