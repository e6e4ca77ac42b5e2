import { type ClientUnaryCall, status as STATUS } from '@grpc/grpc-js';
import { issueToken } from '@tollgate/contracts/service-token';
import { DecisionPlane } from '@tollgate/decision-plane';
import { type FaultProxy, startFaultProxy, TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { methodOf, structOf } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { ServedRls } from './running-rls.js';
import { tokenRecord } from './running-server.js';

const METHOD = methodOf('envoy.service.ratelimit.v3.RateLimitService', 'ShouldRateLimit');

describe('the gRPC server while the counters are unavailable', () => {
  const token = issueToken('tga', 'live');
  let redis: Awaited<ReturnType<typeof createTestRedis>>;
  let proxy: FaultProxy;
  let relay: TestRelay;
  const planes: DecisionPlane[] = [];
  const servers: ServedRls[] = [];

  const start = async (nodeId: string, deadlineMs: number) => {
    const plane = await DecisionPlane.start({
      countersUrl: `redis://127.0.0.1:${proxy.port}`,
      configUrl: redis.url,
      policyKeys: 'unsigned',
      nodeId,
      version: 'test',
      deadlineMs,
    });
    planes.push(plane);
    await eventually(() => plane.ready);
    const server = await ServedRls.start(plane, token.token);
    servers.push(server);
    return server;
  };

  beforeAll(async () => {
    redis = await createTestRedis();
    proxy = await startFaultProxy(Number(new URL(redis.url).port));
    relay = new TestRelay(redis.url);
    await relay.publish({ ...rlsPolicy(relay), serviceTokens: [tokenRecord(token, ['decide'], null)] });
    // One node with a short deadline, one with a longer deadline than any caller here.
    await start('quick', 500);
    await start('patient', 10_000);
  });
  afterEach(() => proxy.thaw());
  afterAll(async () => {
    proxy?.thaw();
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(planes.map((plane) => plane.close()));
    relay?.close();
    await proxy?.close();
    await redis?.stop();
  });

  const asking = (tenant: string, ...operations: string[]) => ({
    domain: 'links',
    descriptors: operations.map((operation) => descriptor({ tenant, operation })),
  });

  it('answers every caller by onUnavailable, marked in the metadata; by the counters afterwards', async () => {
    const [quick] = servers as [ServedRls, ServedRls];
    await quick.client.ask(asking('t1', 'create', 'deny'));
    proxy.freeze();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        quick.client.ask(asking(`t${i % 20}`, i % 2 === 0 ? 'create' : 'deny')),
      ),
    );
    for (const [i, answer] of answers.entries()) {
      expect(structOf(answer.dynamic_metadata)).toMatchObject({
        degraded: true,
        descriptors: [{ reason: 'DEGRADED' }],
      });
      if (i % 2 === 1) expect(answer.overall_code).toBe('OVER_LIMIT');
    }
    // Ten calls of each of ten tenants, one of which has used one unit: all can be allowed by nodes that share them
    // by halves.
    const passed = answers.filter(({ overall_code }) => overall_code === 'OK').length;
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(100);
    const both = await quick.client.ask(asking('t30', 'create', 'deny'));
    expect(both).toMatchObject({
      overall_code: 'OVER_LIMIT',
      statuses: [{ code: 'OK' }, { code: 'OVER_LIMIT' }],
    });
    const back = await quick.client.ask({
      domain: 'links',
      descriptors: [
        descriptor(
          { tenant: 't30', operation: 'create' },
          { hits_addend: { value: 1 }, is_negative_hits: true },
        ),
      ],
    });
    expect(back.overall_code).toBe('OK');
    expect(structOf(back.dynamic_metadata)).toMatchObject({ descriptors: [{ refund: 'unavailable' }] });
    proxy.thaw();
    await eventually(async () => {
      const { dynamic_metadata } = await quick.client.ask(asking('t40', 'create'));
      return structOf(dynamic_metadata).degraded === false;
    });
  });

  it('a call past its deadline ends as DEADLINE_EXCEEDED, a canceled one as CANCELLED, and others continue', async () => {
    const [, patient] = servers as [ServedRls, ServedRls];
    const { client } = patient;
    const [late, dropped] = [asking('t50', 'create'), asking('t51', 'create')];
    await client.ask(asking('t52', 'create'));
    proxy.freeze();
    const refusedLate = expect(
      client.ask(late, undefined, { deadline: Date.now() + 200 }),
    ).rejects.toMatchObject({
      code: STATUS.DEADLINE_EXCEEDED,
    });
    let call: ClientUnaryCall | undefined;
    const canceled = client.call(METHOD, dropped, undefined, {}, (begun) => {
      call = begun;
    });
    const refused = expect(canceled).rejects.toMatchObject({ code: STATUS.CANCELLED });
    call?.cancel();
    await Promise.all([refusedLate, refused]);
    expect(await client.ask(asking('t53', 'free'))).toMatchObject({ overall_code: 'OK' });
    proxy.thaw();
    expect(await client.ask(asking('t54', 'create'))).toMatchObject({ overall_code: 'OK' });
  });
});
