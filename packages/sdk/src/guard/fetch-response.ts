import { type DeniedVerdict, PROBLEM_TYPE } from './guard.js';

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
    const { status, statusText } = response;
    return new Response(response.body, { status, statusText, headers: all });
  }
}
