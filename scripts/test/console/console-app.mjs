import path from 'node:path';
import { collectErrors, installAxe } from '../../../apps/console/test/screens.ts';
import { createPolicy, LIMIT } from '../../../apps/control-plane/test/support/policy-factory.ts';
import { startTestApp } from '../../../apps/control-plane/test/support/test-app.ts';
import { startOnPort } from '../../../packages/embedded/src/index.ts';
import { launchBrowser } from '../../../packages/test-kit/src/index.ts';

const DIST = path.resolve(import.meta.dirname, '../../../apps/console/dist');

/** A control plane that serves the built console, and a browser with one page. */
export class ConsoleApp {
  #cookies = new Map();
  origin;
  #browser;

  /** The origin of the console is a setting, so the port is chosen first. WebAuthn requires a host name. */
  async start() {
    this.app = await startOnPort(undefined, (port) => {
      this.origin = `http://localhost:${port}`;
      return startTestApp({
        PORT: String(port),
        PUBLIC_URL: this.origin,
        CONSOLE_DIR: DIST,
        CHANGE_SET_APPROVAL: 'required',
        MAIL_TRANSPORT: 'mailbox',
        PAYMENT_TEST_ENABLED: 'true',
      });
    });
    await createPolicy(this.app);
    this.#browser = await launchBrowser();
    await installAxe(this.#browser.context);
    this.page = this.#browser.context.pages()[0] ?? (await this.#browser.context.newPage());
    this.errors = collectErrors(this.page);
  }

  async stop() {
    await this.#browser?.close();
    await this.app?.stop();
  }

  async goto(to) {
    await this.page.goto(new URL(to, this.origin).href);
  }

  async signOut() {
    await this.#browser.context.clearCookies();
  }

  /** Replaces the session of the browser. @param cookie value of a `Cookie` header */
  async useCookies(cookie) {
    await this.#browser.useCookies(cookie, this.origin);
  }

  /** Continues the session of an operator with this role. */
  async become(role) {
    if (!this.#cookies.has(role)) this.#cookies.set(role, (await this.app.signIn(role)).cookie);
    await this.useCookies(this.#cookies.get(role));
  }

  /** Sends a mutation with `$input` and returns its payload. @throws Error with its errors */
  async mutate(mutation, inputType, input, selection = '') {
    const { data, errors } = await this.app.graphql(
      `mutation($input: ${inputType}!) { result: ${mutation}(input: $input) { ${selection} userErrors { message } } }`,
      { input },
    );
    const problems = [...errors, ...(data?.result?.userErrors ?? [])];
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    return data.result;
  }

  /**
   * Creates an API with the operation `buy`, a tier with 10/min of it, `per-minute`, and a tenant on the tier. All three have
   * this key and name.
   */
  async createPlan(key) {
    await this.mutate('apiCreate', 'ApiCreateInput', { key, name: key });
    await this.mutate('operationCreate', 'OperationCreateInput', {
      apiKey: key,
      name: 'buy',
      expectedVersion: 1,
    });
    await this.mutate('tierCreate', 'TierCreateInput', { key, name: key });
    await this.publish(key, [{}]);
    await this.mutate('tenantCreate', 'TenantCreateInput', { key, name: key, tierKey: key });
  }

  /** Publishes limits of a plan, each with what differs from 10/min. */
  async publish(key, limits, more = {}) {
    const { data } = await this.app.graphql('query($key: String!) { tier(key: $key) { version } }', { key });
    const input = {
      ...{ tierKey: key, expectedVersion: data.tier.version, ...more },
      limits: limits.map((limit) => ({ ...LIMIT, apiKey: key, ...limit })),
    };
    return this.mutate('tierPublish', 'TierPublishInput', input, 'changeId tier { published { number } }');
  }
}
