import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LimitAnswer, LimitRequest, Problem, TenantLimits } from '@tollgate/contracts';
import { windowLimit } from './limits.js';

/** Limits that {@link startServer} reports. */
export const TENANT_LIMITS: TenantLimits = {
  tenant: 'northwind',
  api: 'website',
  revision: 1,
  limits: [
    {
      policy: windowLimit({ limit: 1000 }),
      summary: 'Up to 1,000 requests a minute',
      source: 'tier',
      provenance: [],
    },
  ],
};

/** An answer that allows the request. */
export function allowed(over: Partial<LimitAnswer> = {}): LimitAnswer {
  const reset = Math.ceil((Date.now() + 1) / 60_000) * 60_000;
  return {
    success: true,
    policy: 'client-minute',
    limit: 1000,
    remaining: 999,
    used: 1,
    reset,
    retryAfter: 0,
    cost: 1,
    reason: 'WITHIN_LIMIT',
    source: 'tier',
    policies: [
      {
        name: 'client-minute',
        limit: 1000,
        remaining: 999,
        reset,
        window: 60,
        mode: 'enforce',
        success: true,
      },
    ],
    delayMs: 0,
    degraded: false,
    revision: 1,
    requestId: 'req_1',
    ...over,
  };
}

export interface Exchange {
  request: LimitRequest;
  headers: IncomingMessage['headers'];
  response: ServerResponse;
  /** Answers 200 with this as JSON. */
  answer(body: unknown): void;
}

/**
 * A fake decision API, for responses that a real one sends only when something is broken.
 * @param refusals answers to the first requests for limits; the others get {@link TENANT_LIMITS}
 */
export async function startServer(
  onLimit: (exchange: Exchange) => void,
  refusals: Problem[] = [],
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const answer = (body: unknown) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET') {
      const refusal = refusals.shift();
      if (refusal === undefined) answer(TENANT_LIMITS);
      else response.writeHead(refusal.status).end(JSON.stringify(refusal));
      return;
    }
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      onLimit({ request: JSON.parse(text) as LimitRequest, headers: request.headers, response, answer });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
