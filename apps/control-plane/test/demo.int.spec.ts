import { type LimitPolicy, policyOfConfig } from '@tollgate/contracts';
import { DecisionPlane, type DecisionPlaneEvent } from '@tollgate/decision-plane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDemoData } from '../src/setup/demo-data.js';
import { SetupModule } from '../src/setup/setup.module.js';
import { SetupService } from '../src/setup/setup.service.js';
import { startTestServices, type TestServices } from './support/test-services.js';

const ADMIN = { admin: { email: 'admin@example.com', password: 'correct horse' } };
const SUBJECT = { user: 'u1', ip: '203.0.113.9', card: 'c1' };

const { tiers = {}, tenants = {} } = readDemoData().document;
const events: DecisionPlaneEvent[] = [];
let services: TestServices;
let plane: DecisionPlane;

beforeAll(async () => {
  services = await startTestServices([SetupModule]);
  await services.context.get(SetupService, { strict: false }).run(ADMIN, { demoSeed: true });
  plane = await DecisionPlane.start({
    countersUrl: services.redisUrl,
    configUrl: services.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'n1',
    version: 'test',
    // High, because these tests check decisions, not latency.
    deadlineMs: 5000,
    onEvent: (event) => events.push(event),
  });
});
afterAll(async () => {
  await plane?.close();
  await services.stop();
});

describe('a node under the demo', () => {
  it('accepts the complete policy', () => {
    expect(events).toContainEqual(expect.objectContaining({ kind: 'revision' }));
    expect(events.filter(({ kind }) => kind === 'revision-rejected')).toEqual([]);
  });

  const limits = Object.entries(tiers).flatMap(([tier, { limits = [] }]) =>
    limits
      .map((limit) => policyOfConfig(limit) as LimitPolicy)
      .map((limit) => [tier, limit.api, limit.name, limit] as const),
  );
  it.each(limits)('decides by tier %s, API %s, limit %s', async (tier, api, name, limit) => {
    const [tenant] = Object.entries(tenants).find(([, one]) => one.tier === tier) ?? ['none'];
    const operation = limit.operations[0] ?? 'home';
    const answer = await plane.limit({ tenant, api, operation, subject: SUBJECT });
    expect(answer).toMatchObject({ success: true, degraded: false });
    const found = answer.policies.filter((policy) => policy.name.startsWith(name));
    expect(found).toHaveLength(limit.candidate === undefined ? 1 : 2);
  });
});

describe('a tenant of the demo', () => {
  it.each([
    ['payments', 'chargeCard', 3, 'QUOTA_EXCEEDED'],
    ['payments', 'payOut', 30, 'RATE_EXCEEDED'],
    ['reports', 'export', 20, 'QUOTA_EXCEEDED'],
    // 100 units per billing period, 5 per request.
    ['reports', 'exportAll', 20, 'QUOTA_EXCEEDED'],
    // One runs immediately, ten queue.
    ['reports', 'schedule', 11, 'RATE_EXCEEDED'],
    ['auth', 'login', 5, 'RATE_EXCEEDED'],
    ['video', 'stream', 3, 'CONCURRENCY_EXCEEDED'],
    // 100 per minute plus a 10 % soft band.
    ['notifications', 'send', 110, 'RATE_EXCEEDED'],
  ])('may call %s %s %i times; the next call is %s', async (api, operation, times, reason) => {
    const answers = await ask(api, operation, times + 1);
    expect(answers.map(({ success }) => success)).toEqual([
      ...Array.from({ length: times }, () => true),
      false,
    ]);
    expect(answers.at(-1)).toMatchObject({ reason });
  });

  it('sees the reasons SOFT_LIMIT, QUEUED and SHADOW', async () => {
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

  it('is charged for failures only; a reported success is refunded', async () => {
    const request = { tenant: 'sirius', api: 'payments', operation: 'chargeCard', subject: SUBJECT };
    for (let i = 0; i < 5; i++) {
      const { requestId, success } = await plane.limit(request);
      expect(success).toBe(true);
      const report = { tenant: 'sirius', requestId, outcome: 'success' as const };
      expect(await plane.reportOutcome(report)).toMatchObject({ status: 'applied' });
    }
  });
});

/** Operations whose limits count failures; `ask` reports each attempt as one. */
const FAILING = new Set(['chargeCard', 'login']);

/** Sends `times` requests within one clock minute; repeats if the minute ends, because a new window would allow more. */
async function ask(api: string, operation: string, times: number, tenant = 'planet-express') {
  const request = { tenant, api, operation };
  const subject = { user: `u-${operation}`, ip: '198.51.100.7', card: `c-${operation}` };
  for (;;) {
    await plane.reset({ ...request, subject });
    const minute = currentMinute();
    const call = async () => {
      const answer = await plane.limit({ ...request, subject });
      const { success, requestId } = answer;
      if (success && FAILING.has(operation))
        await plane.reportOutcome({ tenant, requestId, outcome: 'failure' });
      return answer;
    };
    const answers = [];
    if (FAILING.has(operation)) for (let i = 0; i < times; i++) answers.push(await call());
    // At once, because a queue drains with time.
    else answers.push(...(await Promise.all(Array.from({ length: times }, call))));
    if (currentMinute() === minute) return answers;
  }
}

function currentMinute(): number {
  return Math.floor(Date.now() / 60_000);
}
