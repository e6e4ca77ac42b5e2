import { forwardedAddress } from '@tollgate/contracts/addresses';
import { denialResponse, endWithResponse, withHeaders } from '../guard/fetch-response.js';
import { checkGuardOptions, type GuardOptions, judge } from '../guard/guard.js';

export type RouteHandlerOptions<R extends Request = Request> = GuardOptions<R> & {
  /**
   * Number of trusted proxies that write `X-Forwarded-For`. Handlers do not see the connection: without this or
   * `subject`, requests have no `ip`.
   */
  trustedHops?: number;
};

/**
 * Limits a route handler: `export const POST = withTollgate(handler, { … })`. For Next and other runtimes with
 * `Request` and `Response`: Deno, Bun, Workers, edge functions.
 */
export function withTollgate<R extends Request, C extends unknown[]>(
  handler: (request: R, ...context: C) => Response | Promise<Response>,
  options: RouteHandlerOptions<R>,
): (request: R, ...context: C) => Promise<Response> {
  checkGuardOptions('withTollgate', options);
  return async (request, ...context) => {
    const forwarded = request.headers.get('x-forwarded-for');
    const verdict = await judge(options, request, forwardedAddress(forwarded, options.trustedHops ?? 0));
    if (!verdict.pass) return denialResponse(verdict);
    const run = async () => withHeaders(await handler(request, ...context), verdict.headers);
    return endWithResponse(verdict.end, request, run, statusOfNextError);
  };
}

/** Next's `redirect` and `notFound` throw errors whose `digest` contains the status; other exceptions are a 500. */
function statusOfNextError(error: unknown): number {
  const digest = (error as { digest?: unknown } | null | undefined)?.digest;
  if (typeof digest !== 'string') return 500;
  // NEXT_REDIRECT;replace;/login;307; and NEXT_HTTP_ERROR_FALLBACK;404
  return Number(/^NEXT_(?:REDIRECT|HTTP_ERROR_FALLBACK);(?:.*;)?(\d{3});?$/s.exec(digest)?.[1] ?? 500);
}
