import type { ServerResponse } from 'node:http';
import { PROBLEM_CONTENT_TYPE, type Problem } from '@tollgate/contracts';
import { problemPath } from '../openapi/problem-pages.js';

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

/** A problem that says where its code is explained. */
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
