import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ProblemCode, problem, TollgateError } from '@tollgate/contracts';
import type { Logger } from 'pino';
import { respondProblem } from './respond.js';

const UNAUTHENTICATED: ReadonlySet<ProblemCode> = new Set([
  'token-missing',
  'token-invalid',
  'key-missing',
  'key-invalid',
]);

/** When to try again after an answer that only the moment is to blame for, seconds. */
const RETRY_AFTER_S: Partial<Record<ProblemCode, string>> = {
  'not-ready': '1',
  'counters-unreached': '1',
  draining: '1',
  'tenant-unavailable': '1',
};

/** Answers with the problem that was thrown; anything else becomes `internal`, and is logged. */
export function respondError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  logger: Logger,
): void {
  if (!(error instanceof TollgateError)) {
    logger.error({ err: error, path: request.url }, 'request failed');
    respondProblem(response, problem('internal'));
    return;
  }
  if (error.internal !== undefined)
    logger.warn({ code: error.code, internal: error.internal }, 'request refused');
  respondProblem(response, error.toProblem(), headersOf(error.code));
}

function headersOf(code: ProblemCode): Record<string, string> {
  const headers: Record<string, string> = {};
  if (UNAUTHENTICATED.has(code)) headers['WWW-Authenticate'] = 'Bearer realm="tollgate"';
  // The rest of a body that is too large is not worth reading: end the connection instead.
  if (code === 'body-too-large') headers.Connection = 'close';
  const retryAfter = RETRY_AFTER_S[code];
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  return headers;
}
