import type { Context, MiddlewareHandler } from 'hono';
import type { Decision } from '../client/decision.js';
import { denialResponse, endWithResponse, withHeaders } from '../guard/fetch-response.js';
import { checkGuardOptions, type GuardOptions, judge } from '../guard/guard.js';

export type HonoOptions = GuardOptions<Context> & {
  /**
   * Default: the address of the connection on Node, Bun and Deno. Elsewhere and behind a proxy, read the platform's
   * header, such as `(c) => c.req.header('cf-connecting-ip')` on Cloudflare.
   */
  ip?: (context: Context) => string | undefined;
};

/** `app.use('/shop/*', tollgate({ … }))`. `c.get('tollgate')`: the decision of an allowed request. */
export function tollgate(
  options: HonoOptions,
): MiddlewareHandler<{ Variables: { tollgate: Decision | null } }> {
  checkGuardOptions('tollgate', options);
  return async (context, next) => {
    const address = options.ip === undefined ? connectionAddress(context) : options.ip(context);
    const verdict = await judge<Context>(options, context, address);
    if (!verdict.pass) return denialResponse(verdict);
    context.set('tollgate', verdict.decision);
    const response = await endWithResponse(verdict.end, context.req.raw, async () => {
      await next();
      return withHeaders(context.res, verdict.headers);
    });
    // Otherwise Hono copies the headers of the former response over those of this one.
    if (response !== context.res) {
      context.res = undefined;
      context.res = response;
    }
    return undefined;
  };
}

interface ServerBindings {
  incoming?: { socket?: { remoteAddress?: string } };
  requestIP?: (request: Request) => { address: string } | null;
  remoteAddr?: { hostname?: string };
}

function connectionAddress({ env, req }: Context): string | undefined {
  const bindings = env as ServerBindings | undefined;
  return (
    bindings?.incoming?.socket?.remoteAddress ??
    bindings?.requestIP?.(req.raw)?.address ??
    bindings?.remoteAddr?.hostname
  );
}
