import type { Context, MiddlewareHandler } from 'hono';
import type { Decision } from '../client/decision.js';
import { checkGuardOptions, type GuardOptions, judge, responseOf } from '../guard/guard.js';

export type HonoOptions = GuardOptions<Context> & {
  /**
   * Client address; default: the address of the connection on Node, Bun and Deno. On other platforms and behind a
   * proxy, read the header that the platform guarantees, such as `(c) => c.req.header('cf-connecting-ip')` on
   * Cloudflare.
   */
  ip?: (context: Context) => string | undefined;
};

/**
 * Hono middleware: `app.use('/shop/*', tollgate({ … }))`. Stores the decision of an allowed request in
 * `c.get('tollgate')`.
 */
export function tollgate(
  options: HonoOptions,
): MiddlewareHandler<{ Variables: { tollgate: Decision | null } }> {
  checkGuardOptions('tollgate', options);
  return async (context, next) => {
    const address = options.ip === undefined ? connectionAddress(context) : options.ip(context);
    const verdict = await judge<Context>(options, context, address);
    if (!verdict.pass) return responseOf(verdict);
    context.set('tollgate', verdict.decision);
    await next();
    for (const [name, value] of Object.entries(verdict.headers)) context.res.headers.set(name, value);
    verdict.after(context.res.status);
    return undefined;
  };
}

/** `c.env` of the Node, Bun and Deno servers. */
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
