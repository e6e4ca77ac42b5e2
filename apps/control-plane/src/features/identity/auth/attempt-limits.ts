import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import { ApiError } from '../../../platform/api-error.js';
import type { AttemptKind, AttemptLimiter, CountedAttempt } from './attempt-limiter.js';
import { findChallengedUser, findSignedInUser } from './challenged-user.js';

const VALID_SECONDS = 180 * 86_400;

/**
 * Marks devices on which an account has signed in with a signed cookie. The cookie does not authenticate: it gives the
 * device its own bucket of attempts.
 */
export class KnownDevices {
  private readonly key: Buffer;

  /** @param secret from which the key is derived */
  constructor(
    secret: string,
    private readonly isHttps: boolean,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.key = createHmac('sha256', secret).update('tollgate known device').digest();
  }

  /** The id of this device if the account has signed in on it within 180 days. */
  find(cookieHeader: string | null | undefined, account: string): string | undefined {
    const name = this.cookieName(account);
    const pair = cookieHeader?.split(';').find((part) => part.trim().startsWith(`${name}=`));
    const [deviceId = '', issued = '', signature = ''] =
      pair
        ?.trim()
        .slice(name.length + 1)
        .split('.') ?? [];
    const issuedAt = Number.parseInt(issued, 36);
    if (!Number.isSafeInteger(issuedAt) || this.nowSeconds() - issuedAt > VALID_SECONDS) return undefined;
    const expected = Buffer.from(this.sign(account, `${deviceId}.${issued}`));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected) ? deviceId : undefined;
  }

  /** A device keeps its id. */
  cookieFor(account: string, deviceId: string = randomUUID()) {
    const content = `${deviceId}.${this.nowSeconds().toString(36)}`;
    return {
      name: this.cookieName(account),
      value: `${content}.${this.sign(account, content)}`,
      attributes: {
        httpOnly: true,
        sameSite: 'lax',
        secure: this.isHttps,
        path: '/',
        maxAge: VALID_SECONDS,
      } as const,
    };
  }

  private cookieName(account: string): string {
    const name = `tollgate.device-${this.sign(account, 'name').slice(0, 12)}`;
    return this.isHttps ? `__Host-${name}` : name;
  }

  private sign(account: string, content: string): string {
    const normalized = account.trim().toLowerCase();
    return createHmac('sha256', this.key)
      .update(JSON.stringify([normalized, content]))
      .digest('base64url');
  }

  private nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }
}

/** The server sets it and drops values sent by clients. */
export const CLIENT_ADDRESS_HEADER = 'x-tollgate-client-address';

interface LimitedPath {
  kind: AttemptKind;
  /** Without it the attempt is counted by address only. */
  account?: (ctx: GenericEndpointContext) => string | undefined | Promise<string | undefined>;
}

const LIMITED_PATHS: Readonly<Record<string, LimitedPath>> = {
  '/sign-in/email': { kind: 'password', account: (ctx) => textOf(ctx.body?.email) },
  '/magic-link/verify': { kind: 'link' },
  '/reset-password': { kind: 'link' },
  '/passkey/generate-authenticate-options': { kind: 'link' },
  '/passkey/verify-authentication': { kind: 'link' },
  '/confirm-password': { kind: 'password', account: signedInAccount },
  '/change-password': { kind: 'password', account: signedInAccount },
  '/two-factor/enable': { kind: 'password', account: signedInAccount },
  '/two-factor/disable': { kind: 'password', account: signedInAccount },
  '/two-factor/generate-backup-codes': { kind: 'password', account: signedInAccount },
  '/two-factor/verify-totp': { kind: 'second-factor', account: challengedAccount },
  '/two-factor/verify-backup-code': { kind: 'second-factor', account: challengedAccount },
};

/** Limits better-auth's endpoints across all processes; replaces its per-process limits. */
export class AttemptLimits {
  private readonly counted = new WeakMap<Request, CountedAttempt>();

  constructor(
    private readonly limiter: AttemptLimiter,
    private readonly devices: KnownDevices,
  ) {}

  /**
   * Must be the last plugin that reads a new session: while a second factor is missing, an earlier plugin has removed
   * the session.
   */
  readonly plugin = {
    id: 'tollgate-attempt-limits',
    hooks: {
      before: [
        {
          matcher: ({ path }) => path !== undefined && path in LIMITED_PATHS,
          handler: createAuthMiddleware((ctx) => this.count(ctx)),
        },
      ],
      after: [
        { matcher: () => true, handler: createAuthMiddleware(async (ctx) => this.rememberDevice(ctx)) },
      ],
    },
  } satisfies BetterAuthPlugin;

  /** Refunds the attempt if the request succeeded or failed with a server error. */
  finish(request: Request, status: number): void {
    if (status < 400 || status >= 500) this.counted.get(request)?.refund();
  }

  private async count(ctx: GenericEndpointContext): Promise<void> {
    const limited = LIMITED_PATHS[ctx.path];
    if (limited === undefined || ctx.request === undefined) return;
    const account = await limited.account?.(ctx);
    const attempt = {
      kind: limited.kind,
      address: ctx.headers?.get(CLIENT_ADDRESS_HEADER) ?? '',
      ...(account === undefined ? {} : { account }),
      deviceId: account === undefined ? undefined : this.devices.find(ctx.headers?.get('cookie'), account),
    };
    try {
      const counted = await this.limiter.take(attempt);
      if (isRefundable(limited.kind)) this.counted.set(ctx.request, counted);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const headers = { 'Retry-After': String(error.facts.retryAfter) };
      throw new APIError('TOO_MANY_REQUESTS', { message: error.message, code: 'TOO_MANY_ATTEMPTS' }, headers);
    }
  }

  private rememberDevice(ctx: GenericEndpointContext): void {
    const account = ctx.context.newSession?.user.email;
    if (account === undefined || ctx.request === undefined) return;
    const known = this.devices.find(ctx.headers?.get('cookie'), account);
    const { name, value, attributes } = this.devices.cookieFor(account, known);
    ctx.setCookie(name, value, attributes);
  }
}

/** Guesses of a secret are refundable; requests that send mail are not. */
function isRefundable(kind: AttemptKind): boolean {
  return kind === 'password' || kind === 'second-factor';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

async function signedInAccount(ctx: GenericEndpointContext): Promise<string | undefined> {
  return (await findSignedInUser(ctx))?.email;
}

async function challengedAccount(ctx: GenericEndpointContext): Promise<string | undefined> {
  return (await findChallengedUser(ctx))?.email;
}
