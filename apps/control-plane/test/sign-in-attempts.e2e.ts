import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.js';
import { AuthService } from '../src/features/identity/index.js';
import { cookieOf, ORIGIN, PASSWORD, startTestApp, type TestApp, testConfig } from './support/test-app.js';

let app: TestApp;

/** Behind one proxy: the last entry of X-Forwarded-For is the client. */
const MORE = { TRUSTED_PROXY_HOPS: '1' };

beforeAll(async () => {
  app = await startTestApp(MORE);
});
afterAll(() => app.stop());

let addresses = 0;
/** An unused address. */
const freshAddress = () => `198.${18 + (++addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`;

let accounts = 0;
async function createAccount(): Promise<string> {
  const email = `owner-${++accounts}@example.com`;
  const auth = app.app.get(AuthService, { strict: false });
  await auth.ensureOperator({ email, name: 'Owner', role: 'OWNER', password: PASSWORD });
  return email;
}

interface Sender {
  forwardedFor?: string;
  cookie?: string;
  url?: string;
}

function signIn(email: string, password: string, sender: Sender = {}): Promise<Response> {
  const { forwardedFor = freshAddress(), cookie, url = app.url } = sender;
  return fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: ORIGIN,
      'x-forwarded-for': forwardedFor,
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: JSON.stringify({ email, password }),
  });
}

/** Sends wrong passwords until one is rate limited. */
async function failUntilLimited(attempt: () => Promise<Response>, max = 200): Promise<Response> {
  for (let i = 0; i < max; i++) {
    const response = await attempt();
    if (response.status === 429) return response;
    expect(response.status).toBe(401);
  }
  throw new Error(`Not rate limited after ${max} attempts`);
}

/**
 * Sends wrong passwords until one is rate limited, then signs in, which has to be rate limited too. Repeats if a bucket
 * got an attempt back in between.
 */
function isLimitedWith(wrong: () => Promise<Response>, right: () => Promise<Response>): Promise<true> {
  return eventually(async () => {
    await failUntilLimited(wrong);
    return (await right()).status === 429;
  });
}

/** The cookie of the known device without its session. */
function deviceCookieOf(response: Response): string {
  const cookie = cookieOf(response)
    .split('; ')
    .find((one) => one.startsWith('tollgate.device-'));
  if (cookie === undefined) throw new Error('No device cookie was set');
  return cookie;
}

describe('sign-in under attack', () => {
  it('lets the owner sign in from a known device after 1,000 wrong attempts from as many addresses', async () => {
    const email = await createAccount();
    const device = deviceCookieOf(await signIn(email, PASSWORD));
    let limited = 0;
    for (let round = 0; round < 40; round++) {
      const responses = await Promise.all(Array.from({ length: 25 }, () => signIn(email, 'wrong password')));
      limited += responses.filter(({ status }) => status === 429).length;
    }
    expect(limited).toBeGreaterThan(900);
    await isLimitedWith(
      () => signIn(email, 'wrong password'),
      () => signIn(email, PASSWORD),
    );
    expect((await signIn(email, PASSWORD, { cookie: device })).status).toBe(200);
  });

  it('lets the owner sign in from a known device at an address without attempts left', async () => {
    const email = await createAccount();
    const device = deviceCookieOf(await signIn(email, PASSWORD));
    const forwardedFor = freshAddress();
    let guess = 0;
    await isLimitedWith(
      () => signIn(`nobody-${++guess}@example.com`, 'wrong password', { forwardedFor }),
      () => signIn(email, PASSWORD, { forwardedFor }),
    );
    expect((await signIn(email, PASSWORD, { forwardedFor, cookie: device })).status).toBe(200);
  });

  it('returns 429 with Retry-After for known and unknown accounts', async () => {
    const [known, unknown] = [await createAccount(), 'nobody@example.com'];
    const answers = [];
    for (const email of [known, unknown]) {
      const response = await failUntilLimited(() => signIn(email, 'wrong password'));
      const retryAfter = Number(response.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(600);
      const body = (await response.json()) as object;
      expect(body).toEqual({
        code: 'TOO_MANY_ATTEMPTS',
        message: expect.stringMatching(/^Too many attempts\. Try again in \d+ seconds?\.$/),
      });
      answers.push(Object.keys(body));
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('counts spellings of an email address as one account', async () => {
    const email = await createAccount();
    await isLimitedWith(
      () => signIn(email, 'wrong password'),
      () => signIn(email.toUpperCase(), PASSWORD),
    );
  });

  it('does not count successful attempts', async () => {
    const email = await createAccount();
    const forwardedFor = freshAddress();
    for (let i = 0; i < 40; i++) expect((await signIn(email, PASSWORD, { forwardedFor })).status).toBe(200);
  });

  it('accepts a device cookie for its own account only, and limits guesses with it', async () => {
    const [mine, other] = [await createAccount(), await createAccount()];
    const cookie = deviceCookieOf(await signIn(mine, PASSWORD));
    const renamed = `${deviceCookieOf(await signIn(other, PASSWORD)).split('=')[0]}=${cookie.split('=')[1]}`;
    for (const stolen of [cookie, renamed])
      await isLimitedWith(
        () => signIn(other, 'wrong password'),
        () => signIn(other, PASSWORD, { cookie: stolen }),
      );
    await failUntilLimited(() => signIn(mine, 'wrong password', { cookie }));
    expect((await signIn(mine, PASSWORD)).status).toBe(200);
  });

  it('hides the device cookie from scripts and other sites', async () => {
    const response = await signIn(await createAccount(), PASSWORD);
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith('tollgate.device-'));
    expect(cookie).toMatch(/; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
  });
});

describe('several processes', () => {
  let second: NestFastifyApplication;
  let secondUrl: string;

  beforeAll(async () => {
    const { databaseUrl, redisConfigUrl: redisUrl } = app.config;
    second = await createApp(testConfig({ databaseUrl, redisUrl }, MORE));
    await second.listen(0, '127.0.0.1');
    secondUrl = (await second.getUrl()).replace('[::1]', '127.0.0.1');
  });
  afterAll(() => second.close());

  it('count attempts together', async () => {
    const email = await createAccount();
    await isLimitedWith(
      () => signIn(email, 'wrong password'),
      () => signIn(email, PASSWORD, { url: secondUrl }),
    );
  });

  it('share known devices', async () => {
    const email = await createAccount();
    const cookie = deviceCookieOf(await signIn(email, PASSWORD, { url: secondUrl }));
    await failUntilLimited(() => signIn(email, 'wrong password'));
    expect((await signIn(email, PASSWORD, { cookie })).status).toBe(200);
  });
});

describe('TRUSTED_PROXY_HOPS', () => {
  /** Statuses of wrong attempts against many accounts, each with the X-Forwarded-For of `header`. */
  async function statusesBehind(hops: number, header: (attempt: number) => string): Promise<number[]> {
    const { databaseUrl, redisConfigUrl: redisUrl } = app.config;
    const config = testConfig({ databaseUrl, redisUrl }, { TRUSTED_PROXY_HOPS: String(hops) });
    const behind = await createApp(config);
    try {
      await behind.listen(0, '127.0.0.1');
      const url = (await behind.getUrl()).replace('[::1]', '127.0.0.1');
      // At once: a bucket refills by one attempt in two seconds.
      const attempts = Array.from({ length: 45 }, async (_, i) => {
        const email = `hops-${hops}-${i}-${Math.random()}@example.com`;
        return (await signIn(email, 'wrong password', { url, forwardedFor: header(i) })).status;
      });
      return await Promise.all(attempts);
    } finally {
      await behind.close();
    }
  }

  it('0 ignores X-Forwarded-For: a forged entry earns no new bucket', async () => {
    expect(await statusesBehind(0, () => freshAddress())).toContain(429);
  });

  it('1 uses the last entry: users behind the proxy have separate buckets, forged entries have no effect', async () => {
    expect(await statusesBehind(1, () => freshAddress())).not.toContain(429);
    const client = freshAddress();
    expect(await statusesBehind(1, () => `${freshAddress()}, ${client}`)).toContain(429);
  });

  it('2 uses the last entry but one', async () => {
    const proxy = freshAddress();
    expect(await statusesBehind(2, () => `${freshAddress()}, ${proxy}`)).not.toContain(429);
    const client = freshAddress();
    expect(await statusesBehind(2, () => `${freshAddress()}, ${client}, ${proxy}`)).toContain(429);
  });

  it('counts the addresses of an IPv6 /64 as one', async () => {
    expect(await statusesBehind(1, (i) => `2001:db8:1:2::${(i + 1).toString(16)}`)).toContain(429);
    expect(await statusesBehind(1, (i) => `2001:db8:2:${(i + 1).toString(16)}::1`)).not.toContain(429);
  });
});

describe('sign-in while Redis is unavailable', () => {
  it('is possible, and each process limits by its own count', async () => {
    const email = await createAccount();
    const { databaseUrl } = app.config;
    const counters = { REDIS_COUNTERS_URL: 'redis://127.0.0.1:1', ...MORE };
    const alone = await createApp(testConfig({ databaseUrl, redisUrl: app.redisUrl }, counters));
    try {
      await alone.listen(0, '127.0.0.1');
      const url = (await alone.getUrl()).replace('[::1]', '127.0.0.1');
      const cookie = deviceCookieOf(await signIn(email, PASSWORD, { url }));
      await failUntilLimited(() => signIn(email, 'wrong password', { url }));
      expect((await signIn(email, PASSWORD, { url, cookie })).status).toBe(200);
      expect((await signIn(await createAccount(), PASSWORD, { url })).status).toBe(200);
    } finally {
      await alone.close();
    }
  });
});
