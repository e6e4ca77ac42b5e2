import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import {
  PROBLEM_CONTENT_TYPE,
  type Problem,
  type ProblemCode,
  problem,
  TollgateError,
} from '@tollgate/contracts';
import { type Logger } from 'pino';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Answers with a JSON body. */
export function respondJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  respond(response, status, JSON_CONTENT_TYPE, JSON.stringify(body), headers);
}

/** The path of the page that explains a problem code. */
export function problemPath(code: ProblemCode): string {
  return `/docs/errors/${code}`;
}

/** Adds the link to the documentation of the problem code. */
export function explained(problem: Problem): Problem {
  return { ...problem, docs: problemPath(problem.code) };
}

/** Answers with RFC 9457 problem details. */
export function respondProblem(
  response: ServerResponse,
  problem: Problem,
  headers: Record<string, string> = {},
): void {
  respond(response, problem.status, PROBLEM_CONTENT_TYPE, JSON.stringify(explained(problem)), headers);
}

/** Answers with a text of any kind. */
export function respond(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  const bytes = String(Buffer.byteLength(text));
  // A list is written as it is; of an object, node:http would make one.
  const list = ['Content-Type', contentType, 'Content-Length', bytes, 'Cache-Control', 'no-store'];
  for (const name in headers) list.push(name, headers[name] as string);
  response.writeHead(status, list);
  response.end(text);
}

const TEXT = JSON.stringify(
  explained(problem('overloaded', { detail: 'Too many requests in flight on this node' })),
);
const HEADERS = [
  ...['Content-Type', PROBLEM_CONTENT_TYPE],
  ...['Content-Length', String(Buffer.byteLength(TEXT))],
  ...['Cache-Control', 'no-store'],
  ...['Retry-After', '1'],
];

/** Turns a request away: of all answers the one that has to cost least. */
export function respondShed(response: ServerResponse): void {
  response.writeHead(503, HEADERS);
  response.end(TEXT);
}

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
    logger.warn({ code: error.code, internal: error.internal }, 'request rejected');
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

/** Codes of node:http for requests that cannot be read. */
const BROKEN_REQUESTS: ReadonlyMap<string, ProblemCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers-too-large'],
]);

/** Responds on a connection whose request could not be parsed: timeout, oversized headers or invalid HTTP. */
export function respondToBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = problem(BROKEN_REQUESTS.get(error.code ?? '') ?? 'request-malformed');
  const text = JSON.stringify(answer);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
