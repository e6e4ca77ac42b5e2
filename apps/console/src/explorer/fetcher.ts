import { getOperationAST, parse } from 'graphql';
import { createClient, type RequestParams } from 'graphql-sse';

interface Asked {
  query: string;
  operationName?: string | null;
  variables?: unknown;
}

/** Sends what the reader wrote: subscriptions as a stream, anything else as a request, both with the reader's headers. */
export function ask(asked: Asked, { headers = {} }: { headers?: Record<string, string> } = {}) {
  const body = { ...asked, operationName: asked.operationName ?? undefined } as RequestParams;
  if (isSubscription(asked)) return stream(body, headers);
  return send(body, headers);
}

function stream(body: RequestParams, headers: Record<string, string>) {
  const client = createClient({ url: '/graphql/stream', headers, retryAttempts: 0 });
  return client.iterate<Record<string, unknown>, Record<string, unknown>>(body);
}

async function send(body: RequestParams, headers: Record<string, string>) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

function isSubscription({ query, operationName }: Asked): boolean {
  return getOperationAST(parse(query), operationName)?.operation === 'subscription';
}
