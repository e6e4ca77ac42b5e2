import type { Context, MiddlewareHandler } from 'hono';
import type { Decision } from '../client/decision.js';
import { checkGuardOptions, type GuardOptions, judge, PROBLEM_TYPE } from '../guard/guard.js';

export type HonoOptions = GuardOptions<Context> & {
  /**
   * The client's address; left out: that of the connection on Node, Bun and Deno. Elsewhere, and behind a proxy, say here which
   * header the platform guarantees, such as `(c) => c.req.header('cf-connecting-ip')` on Cloudflare.
   */
  ip?: (context: Context) => string | undefined;
};

/** Hono middleware: `app.use('/shop/*', tollgate({ … }))`. A request that passes finds its decision in `c.get('tollgate')`. */
export function tollgate(
  options: HonoOptions,
): MiddlewareHandler<{ Variables: { tollgate: Decision | null } }> {
  checkGuardOptions('tollgate', options);
  return async (context, next) => {
    const address = options.ip === undefined ? connectionAddress(context) : options.ip(context);
    const verdict = await judge<Context>(options, context, address);
    if (!verdict.pass) {
      const headers = { ...verdict.headers, 'Content-Type': PROBLEM_TYPE };
      return new Response(JSON.stringify(verdict.body), { status: verdict.status, headers });
    }
    context.set('tollgate', verdict.decision);
    await next();
    for (const [name, value] of Object.entries(verdict.headers)) context.res.headers.set(name, value);
    verdict.after(context.res.status);
    return undefined;
  };
}

/** What the servers of three runtimes put into `c.env`. */
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
