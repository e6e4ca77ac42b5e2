import type { IncomingMessage, ServerResponse } from 'node:http';

/** One endpoint. What it throws becomes a problem answer. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Scope that the caller's service token must have; null: open to all. */
  readonly scope: 'decide' | null;
  handle(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> | void;
}
