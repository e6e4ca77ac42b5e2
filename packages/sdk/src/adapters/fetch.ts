import { type Limiter, retryAdvice } from '../client/decision.js';
import type { LimitRequest } from '../client/requests.js';
import { endWithResponse } from '../guard/fetch-response.js';
import { type EndRequest, endOf } from '../guard/request-end.js';

type Input = string | URL | Request;
type Fetch = (input: Input, init?: RequestInit) => Promise<Response>;

export interface PatientFetchOptions {
  /** Replaces the global `fetch`. */
  fetch?: Fetch;
  /** Waits for a limit that all processes share before each request, unless `request` returns undefined. */
  limit?: { client: Limiter; request: (input: Input, init?: RequestInit) => LimitRequest | undefined };
  /** Retries after 429 or 503 with `Retry-After`; default 2. */
  retries?: number;
  /** Maximum single wait, ms; default 30,000. A response with a longer wait is returned. */
  maxWaitMs?: number;
}

/**
 * A fetch that respects limits: before a request, `delayMs` and `retryAfter` of Tollgate; after it, the server's
 * `Retry-After`. Waits are spread by up to a tenth and end when the signal aborts. Stream bodies are not retried. A
 * denial that is not waited for becomes a 429 response. A permit is held until the body of the response was read or canceled.
 */
export function patientFetch(options: PatientFetchOptions = {}): Fetch {
  const { fetch = globalThis.fetch as Fetch, retries = 2, maxWaitMs = 30_000 } = options;
  return async (input, init) => {
    const sent = input instanceof Request ? input : undefined;
    const signal = init?.signal ?? sent?.signal ?? null;
    const admitted = await awaitLimit(options, input, init, maxWaitMs, signal);
    if (admitted instanceof Response) return admitted;
    const { end, delayMs } = admitted;
    return endWithResponse(end, { method: init?.method ?? sent?.method ?? 'GET', signal }, async () => {
      if (delayMs > 0) await sleep(delayMs, signal);
      for (let again = 0; ; again++) {
        const response = await fetch(sent?.clone() ?? input, init);
        const waitMs = retryAfterMs(response);
        if (waitMs === undefined || again >= retries || waitMs > maxWaitMs || isStream(init?.body))
          return response;
        await response.body?.cancel();
        await sleep(waitMs * (1 + Math.random() / 10), signal);
      }
    });
  };
}

interface Admitted {
  end: EndRequest | undefined;
  delayMs: number;
}

/** When the request may be sent, or the 429 response to return. */
async function awaitLimit(
  { limit, retries = 2 }: PatientFetchOptions,
  input: Input,
  init: RequestInit | undefined,
  maxWaitMs: number,
  signal: AbortSignal | null,
): Promise<Response | Admitted> {
  const request = limit?.request(input, init);
  if (limit === undefined || request === undefined) return { end: undefined, delayMs: 0 };
  for (let again = 0; ; again++) {
    const decision = await limit.client.limit(request);
    const advice = retryAdvice(decision);
    if (advice.kind === 'run')
      return { end: endOf({ client: limit.client }, request, decision), delayMs: advice.delayMs };
    if (advice.kind === 'give-up' || advice.waitMs > maxWaitMs || again >= retries) {
      const headers: Record<string, string> =
        decision.retryAfter === null ? {} : { 'Retry-After': String(decision.retryAfter) };
      return new Response(null, { status: 429, headers });
    }
    await sleep(advice.waitMs, signal);
  }
}

function retryAfterMs({ status, headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null || (status !== 429 && status !== 503)) return undefined;
  const waitMs = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

function isStream(body: unknown): boolean {
  return (
    body instanceof ReadableStream ||
    (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
  );
}

function sleep(waitMs: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, waitMs);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
