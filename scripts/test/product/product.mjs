import { expect } from 'vitest';
import { collectErrors } from '../../../apps/console/test/screens.ts';
import { launchBrowser } from '../../../packages/test-kit/src/index.ts';
import { graphql } from '../../run/graphql.mjs';
import { Copies } from '../running-copy.mjs';

/** A running copy of the product and a browser, for several suites. */
export class Product {
  #copies = new Copies();
  home = this.#copies.home;
  #sessions = new Map();

  async start() {
    // Undo must not expire before a busy machine clicks it.
    ({ dev: this.dev } = await this.#copies.start({ UNDO_SECONDS: '86400' }));
    this.browser = await launchBrowser();
  }

  /** A signed-out page, and the errors that it logs. Ends the session of earlier pages. */
  async openPage() {
    await this.signOut();
    const page = await this.browser.context.newPage();
    return { page, errors: collectErrors(page) };
  }

  async stop() {
    await this.browser?.close();
    await this.#copies.stopAll();
    this.#copies.removeHome();
  }

  graphql(query, variables) {
    return graphql(this.dev, query, variables);
  }

  /** Sends a mutation with `$input` and returns its payload. */
  async mutate(mutation, inputType, input, selection = '') {
    const query = `mutation($input: ${inputType}!) { result: ${mutation}(input: $input) { ${selection} userErrors { message } } }`;
    return (await this.graphql(query, { input })).result;
  }

  signOut() {
    return this.browser.context.clearCookies();
  }

  /** Continues the session of an account, by default the demo's operator. All accounts have the same password. */
  async become(email = this.dev.admin.email) {
    await this.browser.useCookies(await this.#cookiesOf(email), this.dev.consoleUrl);
  }

  /** Value of a `Cookie` header. */
  async #cookiesOf(email) {
    if (!this.#sessions.has(email)) this.#sessions.set(email, await this.#signIn(email));
    return this.#sessions.get(email);
  }

  async #signIn(email) {
    const { consoleUrl, admin } = this.dev;
    const response = await fetch(new URL('/api/auth/sign-in/email', consoleUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(consoleUrl).origin },
      body: JSON.stringify({ email, password: admin.password }),
    });
    expect(response.status).toBe(200);
    const cookies = response.headers.getSetCookie();
    return cookies.map((cookie) => cookie.split(';')[0]).join('; ');
  }

  /** The invitation link in the latest email to an address, from the mailbox of the installation. */
  async invitationTo(email) {
    const cookie = await this.#cookiesOf(this.dev.admin.email);
    const read = async (path) =>
      (await fetch(new URL(path, this.dev.consoleUrl), { headers: { cookie } })).text();
    const find = async () => (await read('/mailbox')).split('<li>').find((item) => item.includes(email));
    await expect.poll(find).toBeDefined();
    const [, path] = /href="([^"]+)"/.exec(await find());
    return /https?:\/\/[^\s<>"]+\/invitation#[\w-]+/.exec(await read(path))[0];
  }

  /** Creates a tenant on the demo's tier Free with this key and name; returns the email of its owner, who has an account. */
  async createCustomer(key) {
    const email = `owner@${key}.example`;
    await this.mutate('tenantCreate', 'TenantCreateInput', { key, name: key, tierKey: 'free' });
    await this.mutate('memberInvite', 'MemberInviteInput', { tenantKey: key, email, role: 'OWNER' });
    const [, token] = (await this.invitationTo(email)).split('#');
    const account = { token, name: `Owner of ${key}`, password: this.dev.admin.password };
    await this.mutate('invitationAccept', 'InvitationAcceptInput', account);
    return email;
  }
}
