import type { ServerResponse } from 'node:http';
import { PROBLEM_CONTENT_TYPE, problem } from '@tollgate/contracts';
import { explained } from './respond.js';

const TEXT = JSON.stringify(
  explained(
    problem('overloaded', { detail: 'This node has as many requests in work as it can answer in time' }),
  ),
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
