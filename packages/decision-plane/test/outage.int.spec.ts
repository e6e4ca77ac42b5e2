// @module-tag redis-server
import type { LimitAnswer, OnUnavailable } from '@tollgate/contracts';
import { startFaultProxy } from '@tollgate/limiter/testing';
import { eventually, startRealRedis, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import type { DecisionPlaneEvent } from '../src/api/options.js';
import { TestRelay } from '../src/testing/test-relay.js';

const LIMIT = 10;
const MODES: readonly OnUnavailable[] = ['share', 'deny', 'allow'];

// Tests the effect of faults on answers; `pnpm bench outage` measures their latency.
describe('counter Redis unavailable', () => {
  let config: Awaited<ReturnType<typeof startRealRedis>>;
  let counters: Awaited<ReturnType<typeof startRealRedis>>;
  let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  let relay: TestRelay;
  let plane: DecisionPlane;
  let events: DecisionPlaneEvent[];

  beforeEach(async () => {
    [config, counters] = await Promise.all([startRealRedis(), startRealRedis()]);
    proxy = await startFaultProxy(Number(new URL(counters.url).port));
    relay = new TestRelay(config.url);
    const limits = MODES.map((onUnavailable) =>
      fixedWindowPolicy({
        name: onUnavailable,
        operations: [onUnavailable],
        limit: LIMIT,
        windowMs: 3_600_000,
        alignment: 'first_request',
        onUnavailable,
      }),
    );
    const apis = [
      {
        key: 'url-shortener',
        unknownOperations: 'allow' as const,
        operations: MODES.map((name) => ({ name, cost: 1 })),
      },
    ];
    await relay.publish({ apis, limits, tenants: [relay.tenant('acme'), relay.tenant('globex')] });
    events = [];
    plane = await DecisionPlane.start({
      countersUrl: `redis://127.0.0.1:${proxy.port}`,
      configUrl: config.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      // Redis may be late on a busy machine, without a fault: a silent connection ends after two seconds.
      deadlineMs: WAIT_LIMIT_MS,
      onEvent: (event) => events.push(event),
    });
    await ask('allow');
  });
  afterEach(async () => {
    await plane.close();
    relay.close();
    await proxy.close();
    await Promise.all([config.stop(), counters.stop()]);
  });

  const ask = (operation: OnUnavailable, tenant = 'acme') =>
    plane.limit({ tenant, api: 'url-shortener', operation });

  /** 40 requests of each mode, eight at a time, as under load. */
  async function load(): Promise<Record<OnUnavailable, LimitAnswer[]>> {
    const answers: Record<OnUnavailable, LimitAnswer[]> = { share: [], deny: [], allow: [] };
    for (let round = 0; round < 5; round++) {
      for (const mode of MODES) {
        answers[mode].push(...(await Promise.all(Array.from({ length: 8 }, () => ask(mode, 'globex')))));
      }
    }
    return answers;
  }

  const faults: Record<string, { begin: () => void; end: () => void | Promise<void> }> = {
    'frozen (SIGSTOP)': {
      begin: () => process.kill(counters.pid, 'SIGSTOP'),
      end: () => void process.kill(counters.pid, 'SIGCONT'),
    },
    'behind a black hole': { begin: () => proxy.freeze(), end: () => proxy.thaw() },
    'cut off (connections reset, new ones refused)': {
      begin: () => void proxy.close(),
      end: () => undefined,
    },
    'killed (SIGKILL)': { begin: () => process.kill(counters.pid, 'SIGKILL'), end: () => undefined },
  };

  it.each(Object.keys(faults))(
    '%s: every request is answered by its limit’s own choice, and marked',
    async (name) => {
      const fault = faults[name];
      fault?.begin();
      await eventually(async () => (await ask('allow')).degraded);
      const answers = await load();
      for (const answer of Object.values(answers).flat()) {
        expect(answer).toMatchObject({ degraded: true, reason: 'DEGRADED' });
      }
      expect(answers.deny.filter((answer) => answer.success)).toHaveLength(0);
      expect(answers.allow.filter((answer) => answer.success)).toHaveLength(40);
      // One live node: its share is the limit.
      expect(answers.share.filter((answer) => answer.success)).toHaveLength(LIMIT);
      expect(events.filter((event) => event.kind === 'degraded')).toHaveLength(1);
      await fault?.end();
    },
  );

  it('spends only the remaining units: nothing of an exhausted limit, half of a half used one', async () => {
    for (let i = 0; i < LIMIT; i++) await ask('share', 'acme');
    for (let i = 0; i < 4; i++) await ask('share', 'globex');
    process.kill(counters.pid, 'SIGKILL');
    await eventually(async () => (await ask('allow')).degraded);
    const admitted = async (tenant: string) => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask('share', tenant)));
      return answers.filter((answer) => answer.degraded && answer.success).length;
    };
    expect(await admitted('acme')).toBe(0);
    expect(await admitted('globex')).toBe(LIMIT - 4);
  });

  it('recovers automatically, reports it once, and counts in Redis again', async () => {
    process.kill(counters.pid, 'SIGSTOP');
    await eventually(async () => (await ask('share')).degraded);
    process.kill(counters.pid, 'SIGCONT');
    await eventually(async () => !(await ask('allow')).degraded);
    const recoveries = () => events.filter((event) => event.kind === 'recovered').length;
    await eventually(async () => !(await ask('allow')).degraded && recoveries() > 0);
    expect(recoveries()).toBe(1);
    expect(await ask('share', 'globex')).toMatchObject({
      success: true,
      degraded: false,
      remaining: LIMIT - 1,
    });
  });

  it('replaces a connection that stopped responding and was then reset', async () => {
    proxy.freeze();
    await eventually(async () => (await ask('share')).degraded);
    proxy.reset();
    proxy.thaw();
    await eventually(async () => !(await ask('allow')).degraded);
  });
});
