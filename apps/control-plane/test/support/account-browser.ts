import { PASSWORD, type TestApp } from './test-app.js';

/** `PUBLIC_URL` of suites with browsers: passkeys need a name. */
export const BROWSER_ORIGIN = 'http://localhost:4000';

let browsers = 0;

/** Keeps cookies between requests, and sends them from its own address. */
export class AccountBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly app: TestApp,
    readonly address = `203.0.113.${++browsers % 250}`,
  ) {}

  /** The same cookies elsewhere, as a thief has them. */
  copy(): AccountBrowser {
    const copy = new AccountBrowser(this.app);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  get headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return {
      cookie,
      origin: BROWSER_ORIGIN,
      'x-forwarded-for': this.address,
      'user-agent': 'Test browser',
    };
  }

  get(path: string) {
    return this.send(path, {});
  }

  post(path: string, body: object = {}) {
    return this.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  signIn(email: string, password = PASSWORD) {
    return this.post('/sign-in/email', { email, password });
  }

  ask(query: string, variables: object = {}) {
    return this.app.graphql(query, variables, this.headers);
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.ask('{ viewer { id } }')).errors.length === 0;
  }

  private async send(path: string, init: { method?: string; headers?: object; body?: string }) {
    const response = await fetch(`${this.app.url}/api/auth${path}`, {
      ...init,
      headers: { ...this.headers, ...init.headers },
    });
    for (const one of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (/max-age=0/i.test(one)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    // biome-ignore lint/suspicious/noExplicitAny: tests read any response body.
    return { status: response.status, body: (await response.json().catch(() => null)) as any };
  }
}
