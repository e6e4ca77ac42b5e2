// @module-tag redis-server
// @module-tag pgbouncer
// @module-tag haproxy
// @module-tag openssl
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../packages/test-kit/src/index.js';
import { graphql as sendGraphql } from '../../scripts/run/graphql.mjs';
import { restartEverything } from './phases.mjs';
import { Yard } from './yard.mjs';

const CLI = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const POLICY = fileURLToPath(new URL('story.yaml', import.meta.url));
const DAY_MS = 86_400_000;

/** A card that pays once and fails at each renewal. */
const FAILS_RENEWAL = '4000 0000 0000 0341';

const run = promisify(execFile);

/** Addresses of the installation that `pnpm yard` started, and restarts itself. */
const given = process.env.TOLLGATE_YARD;

// One customer from sign-up to expiry, in an installation like production: the card page, the test clock and a webhook
// receiver; then restarts. `pnpm yard` does the same with more processes and more faults.
describe('the story of a customer', () => {
  const yard = given === undefined ? new Yard() : undefined;
  const events = [];
  let dev;
  let receiver;
  let customer;
  let apiKey;
  let purchase;

  beforeAll(async () => {
    // Sign-ups start on this tier; applying the file creates it.
    const size = { controlPlanes: 2, workers: 1, nodes: 2 };
    dev = yard ? await yard.start({ ...size, settings: { SIGN_UP_TIER: 'maps-free' } }) : JSON.parse(given);
    receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      events.push(JSON.parse(body));
      response.writeHead(204).end();
    });
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    receiver?.close();
    await yard?.stop();
    yard?.remove();
  });

  const graphql = (query, variables, headers) => sendGraphql(dev, query, variables, headers);

  /** One decision for the customer by its API key. */
  async function decide() {
    const response = await fetch(`${dev.decisionUrl}/v1/limit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${dev.serviceToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ key: apiKey, api: 'maps', operation: 'tile' }),
    });
    return response.json();
  }

  async function live(changeId) {
    await eventually(async () => {
      const { propagation } = await graphql('query($id: ID!) { propagation(changeId: $id) { state } }', {
        id: changeId,
      });
      return propagation.state === 'LIVE';
    });
  }

  /** Waits until every node applies the customer's newest change of a kind: the load balancer may choose any of them. */
  async function liveAction(action) {
    const query = 'query { auditEntries(tenant: "startup", first: 100) { nodes { action changeId } } }';
    const entry = await eventually(async () => {
      const { auditEntries } = await graphql(query);
      return auditEntries.nodes.find((one) => one.action === action);
    });
    await live(entry.changeId);
  }

  async function receivedEvent(kind) {
    await eventually(() => events.some(({ type }) => type === kind));
    const { notices } = await graphql(
      'query { notices(tenantKey: "startup", first: 50) { nodes { kind } } }',
    );
    expect(notices.nodes.map((notice) => notice.kind)).toContain(kind);
  }

  async function advance(to) {
    const query =
      'mutation($input: TestClockAdvanceInput!) { testClockAdvance(input: $input) { userErrors { message } } }';
    await graphql(query, { input: { tenantKey: 'startup', to: to.toISOString() } });
  }

  const tollgate = (...args) =>
    run(process.execPath, [CLI, 'config', ...args], {
      env: { ...process.env, TOLLGATE_GRAPHQL_URL: dev.graphqlUrl, TOLLGATE_ADMIN_TOKEN: dev.adminToken },
    });

  /** Headers of a session after sign-in with a password. */
  async function signIn(email, password) {
    const response = await fetch(`${dev.consoleUrl}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: dev.consoleUrl },
      body: JSON.stringify({ email, password }),
    });
    expect(response.status).toBe(200);
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return { cookie: cookies.join('; '), origin: dev.consoleUrl };
  }

  /** The email to an address, from the operator's mailbox page. */
  async function mailTo(address) {
    const operator = await signIn(dev.admin.email, dev.admin.password);
    const read = async (path) => (await fetch(dev.consoleUrl + path, { headers: operator })).text();
    const entry = await eventually(async () =>
      (await read('/mailbox')).split('<li>').find((item) => item.includes(address)),
    );
    return read(/href="([^"]+)"/.exec(entry)[1]);
  }

  test('defines an API and three tiers in one file, and an offer', async () => {
    await tollgate('validate', POLICY);
    await expect(tollgate('diff', POLICY)).rejects.toMatchObject({ code: 2 });
    await tollgate('apply', POLICY);
    await tollgate('diff', POLICY);
    const { a, b, c } = await graphql(
      '{ a: tier(key: "maps-free") { key } b: tier(key: "maps-pro") { key } c: tier(key: "maps-max") { key } }',
    );
    expect([a, b, c].map(({ key }) => key)).toEqual(['maps-free', 'maps-pro', 'maps-max']);
    const offer = {
      key: 'maps-double',
      name: 'Twice as many maps',
      kind: 'UPGRADE',
      priceMinor: 1900,
      currency: 'EUR',
      interval: 'MONTH',
      effects: [{ apiKey: 'maps', kind: 'MULTIPLY', percent: 200 }],
    };
    const create = `mutation($input: OfferCreateInput!) {
      offerCreate(input: $input) { offer { version } userErrors { message } }
    }`;
    const { offerCreate } = await graphql(create, { input: offer });
    const activate =
      'mutation($input: OfferChangeInput!) { offerActivate(input: $input) { userErrors { message } } }';
    await graphql(activate, { input: { offerKey: offer.key, expectedVersion: offerCreate.offer.version } });
  });

  test('signs up, follows the link in the email and creates a key', async () => {
    const email = 'founder@startup.example';
    const password = 'a long and simple sentence';
    const signUp =
      'mutation($input: TenantSignUpInput!) { tenantSignUp(input: $input) { userErrors { message } } }';
    await graphql(signUp, { input: { key: 'startup', name: 'Startup', email } }, {});
    const token = /invitation#([\w-]+)/.exec(await mailTo(email))?.[1];
    const accept = `mutation($input: InvitationAcceptInput!) {
      invitationAccept(input: $input) { tenantKey userErrors { message } }
    }`;
    const { invitationAccept } = await graphql(accept, { input: { token, name: 'Founder', password } }, {});
    expect(invitationAccept.tenantKey).toBe('startup');
    customer = await signIn(email, password);

    const url = `http://127.0.0.1:${receiver.address().port}/events`;
    const endpoint =
      'mutation($input: WebhookEndpointCreateInput!) { webhookEndpointCreate(input: $input) { userErrors { message } } }';
    await graphql(endpoint, { input: { tenantKey: 'startup', url } }, customer);
    const query = `mutation($input: ApiKeyCreateInput!) {
      apiKeyCreate(input: $input) { key changeId userErrors { message } }
    }`;
    const { apiKeyCreate } = await graphql(
      query,
      { input: { tenantKey: 'startup', name: 'Server' } },
      customer,
    );
    apiKey = apiKeyCreate.key;
    expect(apiKey).toMatch(/^tgk_live_/);
    await live(apiKeyCreate.changeId);
  });

  test('denies the customer at its limit with the reason', async () => {
    for (let i = 0; i < 5; i++)
      expect(await decide()).toMatchObject({ success: true, limit: 5, source: 'tier' });
    expect(await decide()).toMatchObject({ success: false, reason: 'RATE_EXCEEDED', policy: 'per-day' });
    await receivedEvent('limit.reached');
  });

  test('raises the limit of the next decision after an upgrade is paid', async () => {
    const query = `mutation($input: PurchaseStartInput!) {
      purchaseStart(input: $input) { purchase { id checkoutUrl } userErrors { message } }
    }`;
    const order = {
      tenantKey: 'startup',
      offerKey: 'maps-double',
      provider: 'TEST',
      expectedPriceMinor: 1900,
    };
    const { purchaseStart } = await graphql(query, { input: order }, customer);
    const paid = await fetch(purchaseStart.purchase.checkoutUrl, {
      method: 'POST',
      body: new URLSearchParams({ number: FAILS_RENEWAL }),
      redirect: 'manual',
    });
    expect(paid.status).toBe(303);
    purchase = (
      await graphql('query($id: ID!) { purchase(id: $id) { status paidThrough } }', {
        id: purchaseStart.purchase.id,
      })
    ).purchase;
    expect(purchase.status).toBe('ACTIVE');
    await liveAction('entitlement.grant');
    expect(await decide()).toMatchObject({ success: true, limit: 10, used: 6, source: 'upgrade' });
    await receivedEvent('purchase.paid');
  });

  test('keeps the limit during the grace period after a failed renewal', async () => {
    await advance(new Date(new Date(purchase.paidThrough).getTime() + DAY_MS));
    await receivedEvent('purchase.renewal_failed');
    expect(await decide()).toMatchObject({ success: true, limit: 10 });
  });

  test('lowers the limit when the grace period ends', async () => {
    await advance(new Date(new Date(purchase.paidThrough).getTime() + 9 * DAY_MS));
    await receivedEvent('purchase.expired');
    await liveAction('entitlement.end');
    expect(await decide()).toMatchObject({ success: false, limit: 5, source: 'tier' });
  });

  test('records all of it in a verified audit trail', async () => {
    const { auditVerify } = await graphql('query { auditVerify(tenantKey: "startup") { ok entries } }');
    expect(auditVerify).toMatchObject({ ok: true });
    const { auditEntries } = await graphql(
      'query { auditEntries(tenant: "startup", first: 100) { nodes { action } } }',
    );
    const actions = auditEntries.nodes.map(({ action }) => action);
    for (const action of ['tenant.create', 'entitlement.grant', 'entitlement.end'])
      expect(actions).toContain(action);
  });

  if (yard) {
    test('loses no decision and no change while one part of each kind restarts', async () => {
      const request = { tenant: 'startup', api: 'maps', operation: 'tile' };
      const load = { request, tierKey: 'maps-free', perSecond: 50 };
      const report = await restartEverything(yard, { ...load, perKind: 1 });
      expect(report.steps.filter(({ failed }) => failed > 0)).toEqual([]);
      expect(report.lost).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(0);
    });
  }
});
