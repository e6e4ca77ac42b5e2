import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { GqlContextType } from '@nestjs/graphql';
import { PROBLEM_CONTENT_TYPE, type ProblemCode, problem } from '@tollgate/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, ApiErrorCode, STATUS_OF_API_ERROR } from './api-error.js';
import type { GraphqlContext } from './graphql/context.js';
import type { GraphQLFormattedError } from './graphql/graphql-js.js';
import { Log } from './log.js';

/** Errors in the document or its variables, whose messages are safe to show. */
const CALLER_FAULTS = new Set([
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);
const MAX_MESSAGE_LENGTH = 500;

/** Messages of ioredis without a connection or a reply; it has no class for them. */
const REDIS_OUTAGE =
  /^(?:Stream isn't writeable|Connection is closed|Command timed out|Reached the max retries|All sentinels)/;

/** Replaces internal errors and unknown codes. */
export function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { path, locations } = formatted;
  const where = {
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
  };
  const code = publicCode(formatted, error);
  const fault = unwrapResolverError(error);
  const message =
    code === 'INTERNAL'
      ? 'Something went wrong on our side.'
      : isRedisOutage(fault)
        ? 'Redis is unavailable. Try again.'
        : formatted.message.slice(0, MAX_MESSAGE_LENGTH);
  const facts = fault instanceof ApiError ? fault.facts : {};
  return { message, ...where, extensions: { ...facts, code } };
}

/** Adds the request id to errors, and logs internal ones. */
export function errorReporting(log: Log): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue, operationName }) => {
        for (const error of errors) {
          const code = publicCode(error, error);
          if (code === 'UNAVAILABLE')
            log.warn({ err: unwrapResolverError(error), requestId: contextValue.requestId }, error.message);
          if (code !== 'INTERNAL') continue;
          const fault = unwrapResolverError(error);
          log.error(
            { err: fault, requestId: contextValue.requestId, operationName },
            'GraphQL request failed',
          );
        }
      },
      willSendResponse: async ({ response, contextValue }) => {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        if (singleResult.errors === undefined) return;
        const { requestId } = contextValue;
        singleResult.errors = singleResult.errors.map((error) => ({
          ...error,
          extensions: { ...error.extensions, requestId },
        }));
      },
    }),
  };
}

function publicCode(formatted: Pick<GraphQLFormattedError, 'extensions'>, error: unknown): ApiErrorCode {
  const fault = unwrapResolverError(error);
  if (fault instanceof ApiError) return fault.code;
  if (isRedisOutage(fault)) return 'UNAVAILABLE';
  return CALLER_FAULTS.has(String(formatted.extensions?.code)) ? 'BAD_USER_INPUT' : 'INTERNAL';
}

function isRedisOutage(fault: unknown): boolean {
  return fault instanceof Error && REDIS_OUTAGE.test(fault.message);
}

const CODE_OF_STATUS: Record<number, ProblemCode> = {
  400: 'body-invalid',
  404: 'route-unknown',
  405: 'method-not-allowed',
  413: 'body-too-large',
  415: 'content-type-unsupported',
};

/** Returns HTTP errors as RFC 9457 problems. */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType<GqlContextType>() === 'graphql') return error;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof ApiError) {
      const { code } = error;
      const status = STATUS_OF_API_ERROR[code];
      const body = { type: `urn:tollgate:problem:${code.toLowerCase()}`, title: error.message, status, code };
      return reply
        .status(status)
        .headers(error.headers)
        .type(PROBLEM_CONTENT_TYPE)
        .send({ ...body, requestId: request.id });
    }
    const code = CODE_OF_STATUS[statusOf(error)] ?? 'internal';
    if (code === 'internal') this.log.error({ err: error, requestId: request.id }, 'HTTP request failed');
    const body = problem(code, { requestId: request.id });
    return reply.status(body.status).type(PROBLEM_CONTENT_TYPE).send(body);
  }
}

function statusOf(error: unknown): number {
  const { statusCode, getStatus } = error as { statusCode?: number; getStatus?: () => number };
  return typeof getStatus === 'function' ? getStatus.call(error) : (statusCode ?? 500);
}
