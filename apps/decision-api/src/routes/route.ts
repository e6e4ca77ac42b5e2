import type { IncomingMessage, ServerResponse } from 'node:http';

/** One endpoint. What it throws becomes a problem answer. */
export interface Route {
  /** `*`: whatever the caller sends. */
  readonly method: 'GET' | 'POST' | '*';
  /** With `/` at its end, everything below it. */
  readonly path: string;
  /** Scope that the caller's service token must have; null: open to all, and answered however busy the process is. */
  readonly scope: 'decide' | 'reset' | null;
  /** A tenant's own API key in the header does instead: the route is about its own tenant then. */
  readonly takesKey?: boolean;
  handle(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> | void;
}
