import { DecisionPlane, type DecisionPlaneEvent } from '@tollgate/decision-plane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RelayModule, RelayService } from '../src/features/distribution/index.js';
import { readDemoData } from '../src/setup/demo-data.js';
import { SetupModule } from '../src/setup/setup.module.js';
import { SetupService } from '../src/setup/setup.service.js';
import { startTestServices, type TestServices } from './support/test-services.js';

const ADMIN = { admin: { email: 'admin@example.com', password: 'correct horse' } };
const SUBJECT = { user: 'u1', ip: '203.0.113.9', card: 'c1' };

const demo = readDemoData();
const events: DecisionPlaneEvent[] = [];
let services: TestServices;
let plane: DecisionPlane;

beforeAll(async () => {
  services = await startTestServices([SetupModule, RelayModule]);
  await services.context.get(SetupService, { strict: false }).run(ADMIN, { demoSeed: true });
  expect(await services.context.get(RelayService, { strict: false }).run()).toMatchObject({
    published: true,
  });
  plane = await DecisionPlane.start({
    countersUrl: services.redisUrl,
    configUrl: services.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'n1',
    version: 'test',
    // Far more than any answer takes: these tests are about what is decided.
    deadlineMs: 5000,
    onEvent: (event) => events.push(event),
  });
});
afterAll(async () => {
  await plane?.close();
  await services.stop();
});

describe('a node under the demo', () => {
  it('takes it whole', () => {
    expect(events).toContainEqual(expect.objectContaining({ kind: 'revision' }));
    expect(events.filter(({ kind }) => kind === 'revision-refused')).toEqual([]);
  });

  const limits = demo.tiers.flatMap(({ key, limits }) => limits.map((limit) => ({ tier: key, limit })));
  it.each(limits.map(({ tier, limit }) => [tier, limit.apiKey, limit.name, limit] as const))(
    'decides by tier %s, API %s, limit %s',
    async (tier, api, name, limit) => {
      const tenant = demo.tenants.find(({ tierKey }) => tierKey === tier)?.key ?? 'none';
      const operation = limit.operations[0] ?? 'home';
      const answer = await plane.limit({ tenant, api, operation, subject: SUBJECT });
      expect(answer).toMatchObject({ success: true, degraded: false });
      const found = answer.policies.filter((policy) => policy.name.startsWith(name));
      expect(found).toHaveLength(limit.candidate === null ? 1 : 2);
    },
  );
});

describe('a tenant of the demo', () => {
  it.each([
    ['payments', 'chargeCard', 3, 'QUOTA_EXCEEDED'],
    ['payments', 'payOut', 30, 'RATE_EXCEEDED'],
    ['reports', 'export', 20, 'QUOTA_EXCEEDED'],
    // 100 units by billing period, 5 a request.
    ['reports', 'exportAll', 20, 'QUOTA_EXCEEDED'],
    // The first runs at once, ten wait.
    ['reports', 'schedule', 11, 'RATE_EXCEEDED'],
    ['auth', 'login', 5, 'RATE_EXCEEDED'],
    ['video', 'stream', 3, 'CONCURRENCY_EXCEEDED'],
    // 100 a minute and 10 % more.
    ['notifications', 'send', 110, 'RATE_EXCEEDED'],
  ])('may ask %s %s %i times, then it is %s', async (api, operation, times, reason) => {
    const answers = await ask(api, operation, times + 1);
    expect(answers.map(({ success }) => success)).toEqual([
      ...Array.from({ length: times }, () => true),
      false,
    ]);
    expect(answers.at(-1)).toMatchObject({ reason });
  });

  it('is told that it is past a soft limit, that it waits, and what a shadow would have refused', async () => {
    expect((await ask('notifications', 'send', 101, 'sirius')).at(-1)).toMatchObject({
      reason: 'SOFT_LIMIT',
    });
    const [first, second] = await ask('notifications', 'digest', 2, 'sirius');
    expect(first).toMatchObject({ success: true, delayMs: 0 });
    expect(second).toMatchObject({ success: true, reason: 'QUEUED' });
    expect(second?.delayMs).toBeGreaterThan(0);
    expect((await ask('chat', 'summarize', 21, 'sirius')).at(-1)).toMatchObject({
      success: true,
      reason: 'SHADOW',
    });
  });

  it('pays for failures alone: what is reported as a success comes back', async () => {
    const request = { tenant: 'sirius', api: 'payments', operation: 'chargeCard', subject: SUBJECT };
    for (let i = 0; i < 5; i++) {
      const { requestId, success } = await plane.limit(request);
      expect(success).toBe(true);
      const report = { tenant: 'sirius', requestId, outcome: 'success' as const };
      expect(await plane.reportOutcome(report)).toMatchObject({ status: 'applied' });
    }
  });
});

/** Operations whose limits count failures: each attempt is reported as one. */
const FAILING = new Set(['chargeCard', 'login']);

/** Asks so many times within one minute of the clock: a window that ends meanwhile would let more pass. */
async function ask(api: string, operation: string, times: number, tenant = 'planet-express') {
  const request = { tenant, api, operation };
  const subject = { user: `u-${operation}`, ip: '198.51.100.7', card: `c-${operation}` };
  for (;;) {
    await plane.reset({ ...request, subject });
    const minute = currentMinute();
    const answers = [];
    for (let i = 0; i < times; i++) {
      const answer = await plane.limit({ ...request, subject });
      answers.push(answer);
      const { success, requestId } = answer;
      if (success && FAILING.has(operation))
        await plane.reportOutcome({ tenant, requestId, outcome: 'failure' });
    }
    if (currentMinute() === minute) return answers;
  }
}

function currentMinute(): number {
  return Math.floor(Date.now() / 60_000);
}
