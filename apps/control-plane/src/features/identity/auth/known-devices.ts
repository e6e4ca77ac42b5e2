import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

const VALID_SECONDS = 180 * 86_400;

/**
 * Remembers in a cookie on which devices an account has signed in. The cookie signs nobody in: it only gives the device a
 * separate bucket for attempts (AttemptLimiter). It holds for one account and cannot be forged or moved to another.
 */
export class KnownDevices {
  private readonly key: Buffer;

  /** @param secret the session secret, of which the key is derived */
  constructor(
    secret: string,
    private readonly isHttps: boolean,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.key = createHmac('sha256', secret).update('tollgate known device').digest();
  }

  /** The id of this device if the account has signed in on it within 180 days; undefined otherwise. */
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

  /** The cookie to set after `account` has signed in; a device keeps its id. */
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
    const normalised = account.trim().toLowerCase();
    return createHmac('sha256', this.key)
      .update(JSON.stringify([normalised, content]))
      .digest('base64url');
  }

  private nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }
}
