import { type DeniedVerdict, PROBLEM_TYPE } from './guard.js';
import type { EndRequest } from './request-end.js';

export function denialResponse({ status, headers, body }: DeniedVerdict): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': PROBLEM_TYPE },
  });
}

/** Copies responses with immutable headers, such as those of `fetch` and `Response.redirect`. */
export function withHeaders(response: Response, headers: Record<string, string>): Response {
  // Upgrades, and `Response.error()`: cannot be copied.
  if (response.status < 200) return response;
  try {
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  } catch {
    const all = new Headers(response.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return copyOf(response, response.body, all);
  }
}

/**
 * Runs a handler and ends the request with the body of its response, with its exception, or when `signal` aborts.
 * @param statusOf status of the response to an exception; default 500
 */
export async function endWithResponse(
  endRequest: EndRequest | undefined,
  { method, signal }: { method: string; signal?: AbortSignal | null },
  handler: () => Response | Promise<Response>,
  statusOf: (error: unknown) => number = () => 500,
): Promise<Response> {
  if (endRequest === undefined) return await handler();
  const leave = () => end(undefined);
  const end: EndRequest = (status) => {
    signal?.removeEventListener('abort', leave);
    endRequest(status);
  };
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave);
  try {
    const response = await handler();
    return method === 'HEAD' ? endNow(end, response) : endWithBody(end, response);
  } catch (error) {
    end(statusOf(error));
    throw error;
  }
}

function endNow(end: EndRequest, response: Response): Response {
  end(response.status);
  return response;
}

/** Ends the request when the body was read or canceled. */
function endWithBody(end: EndRequest, response: Response): Response {
  const { body, status } = response;
  if (body === null) return endNow(end, response);
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end(status);
          controller.close();
        } catch (error) {
          end(undefined);
          controller.error(error);
        }
      },
      cancel(reason) {
        end(undefined);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return copyOf(response, watched, response.headers);
}

function copyOf(
  { status, statusText, url, redirected }: Response,
  body: ReadableStream<Uint8Array> | null,
  headers: Headers,
): Response {
  const copy = new Response(body, { status, statusText, headers });
  return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected } });
}
