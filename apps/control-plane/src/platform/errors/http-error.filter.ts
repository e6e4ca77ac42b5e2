import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { GqlContextType } from '@nestjs/graphql';
import { PROBLEM_CONTENT_TYPE, type ProblemCode, problem } from '@tollgate/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Log } from '../logging/log.js';
import { ApiError, STATUS_OF_API_ERROR } from './api-error.js';

const CODE_OF_STATUS: Record<number, ProblemCode> = {
  400: 'body-invalid',
  404: 'route-unknown',
  405: 'method-not-allowed',
  413: 'body-too-large',
  415: 'content-type-unsupported',
};

/** Answers HTTP errors as RFC 9457 problems. GraphQL has its own errors: those pass through. */
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
