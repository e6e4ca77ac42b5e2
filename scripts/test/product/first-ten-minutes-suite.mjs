// @module-tag prometheus
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../../../packages/test-kit/src/index.ts';
import { graphql } from '../../run/graphql.mjs';
import { Prometheus, panelQueries } from '../prometheus.mjs';
import { callCounted, callOnce, callUntilDenied } from '../running-copy.mjs';

/** The steps of docs/first-ten-minutes.md. @param {import('./product.mjs').Product} product */
export function testFirstTenMinutes(product) {
  const prometheus = new Prometheus();
  let dev;
  let page;
  let errors;

  beforeAll(async () => {
    ({ dev } = product);
    const { metricsUrl, controlMetricsUrl } = dev;
    await prometheus.start({ 'decision-api': [metricsUrl], 'control-plane': [controlMetricsUrl] });
    ({ page, errors } = await product.openPage());
  });
  beforeEach(() => product.become());
  afterEach(() => expect(errors.splice(0)).toEqual([]));
  afterAll(async () => {
    await page?.close();
    await prometheus.stop();
  });

  /** What the next decision applies. */
  const peek = async () => (await callOnce(dev, '/v1/peek')).answer;

  /** Process ID of a component, from the starter's owner file. */
  const pidOf = (part) =>
    JSON.parse(readFileSync(path.join(product.home, `${part}.owner.json`), 'utf8')).server.pid;

  async function frozen(parts, whileFrozen) {
    for (const part of parts) process.kill(pidOf(part), 'SIGSTOP');
    try {
      return await whileFrozen();
    } finally {
      for (const part of parts) process.kill(pidOf(part), 'SIGCONT');
    }
  }

  test('accepts the sign-in link once', async () => {
    await product.signOut();
    await page.goto(dev.signInUrl);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const second = await fetch(dev.signInUrl, { redirect: 'manual' });
    expect(second.headers.getSetCookie().join()).not.toMatch(/session_token/);
  });

  test('returns 429 at exactly the limit, with its name and Retry-After', async () => {
    const { limit } = await peek();
    const { headers, answer } = await callUntilDenied(dev);
    expect(answer).toMatchObject({
      success: false,
      limit,
      remaining: 0,
      used: limit,
      reason: 'RATE_EXCEEDED',
    });
    expect(answer.policy).toBe('create-minute');
    expect(headers.get('retry-after')).toBe(String(answer.retryAfter));
    expect(headers.get('ratelimit')).toContain('"create-minute";r=0;');
    expect(headers.get('ratelimit-policy')).toContain(`"create-minute";q=${limit};w=60`);
  });

  test('shows denied tenants in the live view as it happens', async () => {
    await page.goto(new URL('/live', dev.consoleUrl).href);
    await callUntilDenied(dev);
    await page.getByRole('link', { name: dev.demo.tenant }).first().waitFor();
  });

  test('decides by every algorithm of the demo through POST /v1/limit', async () => {
    const demo = parse(readFileSync(new URL('../../../prisma/seed/demo.yaml', import.meta.url), 'utf8'));
    const asked = Object.entries(demo.tiers).flatMap(([key, { limits }]) => {
      const tenant = Object.keys(demo.tenants).find((one) => demo.tenants[one].tier === key);
      return limits.map((limit) => ({ tenant, limit }));
    });
    const kinds = new Set(asked.map(({ limit }) => limit.algorithm));
    expect(kinds.size).toBe(8);
    for (const { tenant, limit } of asked) {
      const subject = { user: 'u1', ip: '203.0.113.9', card: 'c1' };
      const operation = limit.operations?.[0] ?? 'home';
      const request = { tenant, api: limit.api, operation, subject };
      // Retries degraded decisions: a busy machine can miss the deadline.
      const answer = await eventually(async () => {
        const decided = await callOnce({ ...dev, demo: request });
        return !decided.answer.degraded && decided.answer;
      });
      expect(
        answer.policies.map(({ name }) => name),
        limit.name,
      ).toContain(limit.name);
    }
  });

  test('enforces a limit changed in the console', async () => {
    const { revision } = await peek();
    await page.goto(new URL('/tiers/free', dev.consoleUrl).href);
    await page.getByLabel(/^Rate of .*create-minute/).fill('25/min');
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('the first ten minutes');
    await page.getByRole('button', { name: /^Apply/ }).click();
    const appliedAt = performance.now();
    await expect.poll(async () => (await peek()).limit, { interval: 10 }).toBe(25);
    console.log(`Apply to enforced: ${Math.round(performance.now() - appliedAt)} ms (goal: below 1 s)`);
    await page
      .getByText(/Live on 1\/1 node/)
      .first()
      .waitFor();
    expect(await callCounted(dev)).toMatchObject({
      status: 200,
      answer: { success: true, limit: 25, revision: revision + 1 },
    });
    const { answer } = await callUntilDenied(dev);
    expect(answer).toMatchObject({ policy: 'create-minute', limit: 25, used: 25 });
  });

  test('shows the denial of a test request sent from the console', async () => {
    await page.goto(new URL(`/tenants/${dev.demo.tenant}`, dev.consoleUrl).href);
    await page.getByRole('button', { name: 'Send a test request' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Operation' }).click();
    await page.getByRole('option', { name: dev.demo.operation }).click();
    const isDenied = async () => {
      await callUntilDenied(dev); // a new minute may have begun since the last call
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      await dialog
        .getByText(/^\d{3} (Allowed|Denied)/)
        .first()
        .waitFor();
      return dialog.getByText('429 Denied').isVisible();
    };
    await expect.poll(isDenied).toBe(true);
    await dialog.getByText(/retry-after: \d+/).waitFor();
  });

  test('enforces a limit changed through GraphQL', async () => {
    const { revision } = await peek();
    const fields = 'name apiKey operations per algorithm limit windowMs burst alignment onUnavailable';
    const { tier } = await graphql(
      dev,
      `{ tier(key: "free") { version published { limits { ${fields} } } } }`,
    );
    const limits = tier.published.limits.map((limit) =>
      limit.name === 'create-minute' ? { ...limit, limit: 30 } : limit,
    );
    const { tierDraftSave } = await graphql(
      dev,
      'mutation ($input: TierDraftSaveInput!) { tierDraftSave(input: $input) { tier { version } userErrors { message } } }',
      { input: { tierKey: 'free', expectedVersion: tier.version, limits } },
    );
    const { tierPublish } = await graphql(
      dev,
      'mutation ($input: TierPublishInput!) { tierPublish(input: $input) { changeId userErrors { message } } }',
      { input: { tierKey: 'free', expectedVersion: tierDraftSave.tier.version } },
    );
    const state = async () =>
      (
        await graphql(dev, 'query ($id: ID!) { propagation(changeId: $id) { state } }', {
          id: tierPublish.changeId,
        })
      ).propagation.state;
    await expect.poll(state).toBe('LIVE');
    expect(await peek()).toMatchObject({ limit: 30, revision: revision + 1 });
  });

  test('decides while Postgres and the control plane are stopped', async () => {
    const { limit } = await peek();
    await frozen(['postgres', 'control-plane'], async () => {
      await expect.poll(peek).toMatchObject({ degraded: false, limit });
      await callCounted(dev);
    });
  });

  test('returns degraded decisions while Redis is frozen and counts in Redis afterwards', async () => {
    await frozen(['redis'], async () => {
      for (let i = 0; i < 50; i++) {
        const { status, answer } = await callOnce(dev);
        expect([200, 429]).toContain(status);
        expect(answer).toMatchObject({ degraded: true, reason: 'DEGRADED' });
      }
    });
    await expect.poll(async () => (await peek()).degraded).toBe(false);
  });

  test('exports metrics for every panel and alert, without tenants', async () => {
    const url = 'http://127.0.0.1:1/';
    const {
      webhookEndpointCreate: { endpoint },
    } = await graphql(
      dev,
      'mutation ($input: WebhookEndpointCreateInput!) { webhookEndpointCreate(input: $input) { endpoint { id version } userErrors { message } } }',
      { input: { tenantKey: dev.demo.tenant, url } },
    );
    await graphql(
      dev,
      'mutation ($input: WebhookEndpointTargetInput!) { webhookEndpointTest(input: $input) { userErrors { message } } }',
      { input: { id: endpoint.id, expectedVersion: endpoint.version } },
    );
    const invalid = await fetch(`${dev.decisionUrl}/v1/limit`, { method: 'POST', body: '{}' });
    expect(invalid.status).toBe(401);
    // Only a node with TLS has this metric.
    const isOfTls = (expr) => expr.includes('tollgate_tls_certificate_expiry_timestamp_seconds');
    for (const { panel, expr } of panelQueries()) {
      const series = () => prometheus.query(expr);
      if (isOfTls(expr)) expect([panel, await series()]).toEqual([panel, []]);
      else await expect.poll(series, { message: `${panel}: ${expr}` }).not.toEqual([]);
    }
    const rules = await prometheus.rules();
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const names = new Set(rules.flatMap(({ query }) => query.match(/\btollgate_\w+/g) ?? []));
    for (const name of names)
      expect([name, (await prometheus.query(`count(${name})`)).length]).toEqual([
        name,
        isOfTls(name) ? 0 : 1,
      ]);
    const texts = await Promise.all(
      [dev.metricsUrl, dev.controlMetricsUrl].map(async (from) => (await fetch(from)).text()),
    );
    expect(texts.join('\n')).not.toContain(dev.demo.tenant);
  });
}
