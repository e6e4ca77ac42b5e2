// @module-tag redis-server
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LimitAnswer } from '@tollgate/contracts';
import { DecisionPlane } from '@tollgate/decision-plane';
import { type FaultProxy, startFaultProxy } from '@tollgate/decision-plane/testing';
import { createTestRedis, eventually, startRealRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerMetrics } from '../src/metrics/metrics.js';
import { createDecisionServer } from '../src/server.js';
import { metricsText, sumOf } from './metrics-text.js';
import { PEPPERS, useRunningServer } from './running-server.js';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const call = { tenant: 'acme', api: 'url-shortener' };
const LIMIT = 20;
const CALLERS = 10;
const EACH = 5;

describe('the counters’ Redis fails while requests arrive', () => {
  const running = useRunningServer((relay) => ({
    limits: [
      {
        name: 'create-hour',
        api: 'url-shortener',
        operations: ['createURL'],
        per: [],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: LIMIT,
        windowMs: 3_600_000,
        alignment: 'first_request',
      },
      {
        name: 'delete-hour',
        api: 'url-shortener',
        operations: ['deleteURL'],
        per: [],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: LIMIT,
        windowMs: 3_600_000,
        alignment: 'first_request',
      },
    ],
    tenants: [relay.tenant('acme')],
  }));
  let counters: Awaited<ReturnType<typeof createTestRedis>>;
  let proxy: FaultProxy;
  let plane: DecisionPlane;
  let server: Server;
  let metrics: ServerMetrics;

  beforeEach(async () => {
    counters = await startRealRedis();
    proxy = await startFaultProxy(Number(new URL(counters.url).port));
    plane = await DecisionPlane.start({
      countersUrl: `redis://127.0.0.1:${proxy.port}`,
      configUrl: running.redis.url,
      policyKeys: 'unsigned',
      nodeId: 'node-2',
      version: 'test',
      // Redis may be late on a busy machine, without a fault: a silent connection ends after two seconds.
      deadlineMs: WAIT_LIMIT_MS,
    });
    await eventually(() => plane.ready);
    metrics = new ServerMetrics();
    server = createDecisionServer({ plane, peppers: PEPPERS, logger: pino({ level: 'silent' }), metrics });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    proxy.thaw();
    await plane.close();
    await proxy.close();
    // A stopped process does not receive SIGTERM.
    if (isRunning(counters.pid)) process.kill(counters.pid, 'SIGCONT');
    await counters.stop();
  });

  async function ask(operation = 'createURL'): Promise<LimitAnswer> {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/limit`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${running.token.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...call, operation }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as LimitAnswer;
  }

  it.each<[string, () => Promise<void> | void]>([
    ['killed', () => counters.stop()],
    ['frozen', () => void process.kill(counters.pid, 'SIGSTOP')],
    ['a black hole', () => proxy.freeze()],
    ['cut off', () => proxy.close()],
  ])(
    '%s: answers every caller, marks degraded answers, and allows no more than was left',
    async (_, fail) => {
      const answers: LimitAnswer[] = [];
      const caller = async () => {
        for (let i = 0; i < EACH; i++) answers.push(await ask());
      };
      await eventually(async () => !(await ask()).degraded);
      const callers = Array.from({ length: CALLERS }, caller);
      await fail();
      await Promise.all(callers);
      // An exhausted limit denies exactly without Redis: only one with capacity left shows the outage.
      const last = await ask('deleteURL');
      expect(answers.length).toBe(CALLERS * EACH);
      expect(last.degraded).toBe(true);
      expect(answers.filter(({ success }) => success).length).toBeLessThanOrEqual(LIMIT + 2);
      const marked = [...answers, last].filter(({ degraded }) => degraded).length;
      // Those that the warm-up got without it on a busy machine are counted too.
      const counted = sumOf(await metricsText(metrics), 'tollgate_requests_total', 'reason="DEGRADED"');
      expect(counted).toBeGreaterThanOrEqual(marked);
    },
  );

  it('denies without marking the answer degraded when the limit was exhausted before Redis failed', async () => {
    await eventually(async () => !(await ask('deleteURL')).degraded);
    await eventually(async () => !(await ask()).success);
    await counters.stop();
    expect(await ask()).toMatchObject({ success: false, degraded: false });
    expect(await ask('deleteURL')).toMatchObject({ success: true, degraded: true });
  });
});
