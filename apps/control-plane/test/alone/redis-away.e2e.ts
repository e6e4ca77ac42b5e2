import { type FaultProxy, startFaultProxy } from '@tollgate/decision-plane/testing';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.js';

type TestRedis = Awaited<ReturnType<typeof createTestRedis>>;

describe('a control plane started while Redis is unavailable', () => {
  let redis: TestRedis;
  let proxy: FaultProxy;
  let app: TestApp;
  beforeAll(async () => {
    redis = await createTestRedis();
    proxy = await startFaultProxy(redis.port);
    proxy.freeze();
    app = await startTestApp({ REDIS_CONFIG_URL: `redis://127.0.0.1:${proxy.port}` });
  });
  afterAll(async () => {
    await app.stop();
    await proxy.close();
    await redis.stop();
  });

  it('is ready and reports that Redis is unavailable', async () => {
    const response = await fetch(`${app.url}/readyz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'degraded', checks: { postgres: true, redis: false } });
  });

  it('answers UNAVAILABLE to a query that needs Redis', async () => {
    const { errors } = await app.graphql('{ auditVerify { ok } }');
    expect(errors).toMatchObject([
      { message: 'Redis is unavailable. Try again.', extensions: { code: 'UNAVAILABLE' } },
    ]);
  });

  it('accepts a change and publishes it later', async () => {
    const { data } = await app.graphql(
      'mutation { apiCreate(input: { key: "shop", name: "Shop" }) { userErrors { code } } }',
    );
    expect(data.apiCreate.userErrors).toEqual([]);
    const pending = await app.database.outboxEvent.findMany({ where: { revision: null } });
    expect(pending.map((event) => event.entityKey)).toContain('api:shop');
  });

  it('publishes stored changes once Redis is available', async () => {
    proxy.thaw();
    const pending = () => app.database.outboxEvent.count({ where: { revision: null } });
    await eventually(async () => (await pending()) === 0);
  });
});

describe('a control plane stopping while Redis is', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await createTestRedis();
  });
  afterAll(() => redis.stop());

  it('starting does not hang', async () => {
    const app = await startTestApp({ REDIS_CONFIG_URL: 'redis://127.0.0.1:1' });
    await app.stop();
  });

  it.each(['frozen', 'gone'] as const)('%s does not hang', async (fault) => {
    const proxy = await startFaultProxy(redis.port);
    const app = await startTestApp({ REDIS_CONFIG_URL: `redis://127.0.0.1:${proxy.port}` });
    if (fault === 'frozen') proxy.freeze();
    else await proxy.close();
    const ready = await fetch(`${app.url}/readyz`);
    expect(await ready.json()).toMatchObject({ checks: { redis: false } });
    await app.stop();
    await proxy.close();
  });
});
