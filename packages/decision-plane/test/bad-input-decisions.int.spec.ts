import type { LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually, startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import type { DecisionPlaneEvent } from '../src/api/options.js';
import { TestRelay } from '../src/testing/test-relay.js';

const HOUR = { windowMs: 3_600_000, alignment: 'first_request' as const };
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

/** Counters and policy on separate servers, so that only the counters fail. */
class Node {
  config!: Awaited<ReturnType<typeof createTestRedis>>;
  counters!: Awaited<ReturnType<typeof createTestRedis>>;
  admin!: Redis;
  relay!: TestRelay;
  plane!: DecisionPlane;
  events: DecisionPlaneEvent[] = [];

  async begin(startCounters: typeof createTestRedis = createTestRedis): Promise<void> {
    this.events = [];
    [this.config, this.counters] = await Promise.all([createTestRedis(), startCounters()]);
    this.admin = new Redis(this.counters.url);
    this.admin.on('error', () => undefined);
    this.relay = new TestRelay(this.config.url);
    const limits = [
      fixedWindowPolicy({ name: 'by-user', per: ['user'], limit: 3, ...HOUR }),
      fixedWindowPolicy({ name: 'all', operations: ['deleteURL'], limit: 100, ...HOUR }),
    ];
    await this.relay.publish({ limits, tenants: [this.relay.tenant('acme')] });
  }

  async start(countersUrl = this.counters.url, keysPerTenant = 100_000): Promise<void> {
    this.plane = await DecisionPlane.start({
      countersUrl,
      configUrl: this.config.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      deadlineMs: 5000,
      keysPerTenant,
      onEvent: (event) => this.events.push(event),
    });
  }

  ask(user: string) {
    return this.plane.limit({ ...create, subject: { user } });
  }

  async end(): Promise<void> {
    await this.plane?.close();
    this.relay.close();
    this.admin.disconnect();
    await Promise.all([this.config.stop(), this.counters.stop()]);
  }
}

describe('arbitrary identifiers', () => {
  const node = new Node();
  beforeEach(() => node.begin());
  afterEach(() => node.end());

  it('are counted separately, and none reaches another counter, another slot or a command', async () => {
    await node.start();
    const odd = [
      '\ud800',
      '\udc00',
      '\ud800\ud800',
      '\u0000',
      '\u0000\u0000',
      '{}',
      '{acme}',
      '}{',
      '{other}:x',
      '*',
      ' ',
      '\r\nFLUSHALL\r\n',
      '=u1',
      '#u1',
      '~u1',
      'é',
      'e\u0301',
      '__proto__',
      'constructor',
      'x'.repeat(1024),
    ];
    for (const user of odd) {
      expect(await node.ask(user), JSON.stringify(user)).toMatchObject({ success: true, remaining: 2 });
    }
    for (const user of odd) {
      expect(await node.ask(user), JSON.stringify(user)).toMatchObject({ success: true, remaining: 1 });
    }
    const keys = await node.admin.keys('*');
    expect(keys).toHaveLength(odd.length);
    for (const key of keys)
      expect(key).toMatch(/^\{acme\}:f1:url-shortener:by-user[=#][A-Za-z0-9._@-]{1,32}$/);
  });

  it('100,000 distinct ones take one key more than a tenant’s budget, and are still limited', async () => {
    await node.start(node.counters.url, 500);
    let refused = 0;
    for (let batch = 0; batch < 100; batch++) {
      const answers = await Promise.all(
        Array.from({ length: 1000 }, (_, i) => node.ask(`user-${batch * 1000 + i}`)),
      );
      refused += answers.filter((answer) => !answer.success).length;
    }
    // The first 500 have counters of their own; of all others together, three are allowed.
    expect(refused).toBe(100_000 - 500 - 3);
    expect(await node.admin.dbsize()).toBe(501);
    expect(node.events.filter((event) => event.kind === 'key-budget-spent')).toHaveLength(1);
  });
});

describe('counter Redis that replies with errors', () => {
  const node = new Node();
  beforeEach(() => node.begin());
  afterEach(() => node.end());

  /** Resolves with the cause once answers are degraded; each uses the limit's own choice. */
  const degradedCause = async (): Promise<string> => {
    const answer = await node.ask('u1');
    expect(answer).toMatchObject({ success: true, degraded: true, reason: 'DEGRADED' });
    const told = node.events.filter((event) => event.kind === 'degraded');
    expect(told).toHaveLength(1);
    return told[0]?.cause ?? '';
  };
  const recovers = () => eventually(async () => !(await node.ask('u2')).degraded);

  it('wrong password: decides degraded, reports it at start, and counts once the password is right', async () => {
    await node.admin.acl('SETUSER', 'default', '>right');
    await node.start(node.counters.url.replace('redis://', 'redis://default:wrong@'));
    expect(node.events).toContainEqual(
      expect.objectContaining({
        kind: 'warning',
        message: expect.stringMatching(/rejected the user or password/),
      }),
    );
    expect(await degradedCause()).toMatch(/^disconnected: .*WRONGPASS/);
    await node.admin.acl('SETUSER', 'default', '>wrong');
    await recovers();
  });

  it('OOM: a full server', async () => {
    await node.start();
    await node.admin.config('SET', 'maxmemory-policy', 'noeviction');
    await node.admin.config('SET', 'maxmemory', '1');
    expect(await degradedCause()).toMatch(/^failed: .*OOM/);
    await node.admin.config('SET', 'maxmemory', '0');
    await recovers();
  });

  it('NOSCRIPT: sends the scripts to a server that lost them, without degraded decisions', async () => {
    await node.start();
    expect(await node.ask('u1')).toMatchObject({ remaining: 2, degraded: false });
    await node.admin.script('FLUSH');
    expect(await node.ask('u1')).toMatchObject({ remaining: 1, degraded: false });
    await node.admin.script('FLUSH');
    expect(await node.plane.refund({ ...create, subject: { user: 'u1' }, cost: 1 })).toMatchObject({
      status: 'applied',
      returned: 1,
    });
  });

  it('treats a wrong type or foreign text under our keys as missing, and overwrites it', async () => {
    await node.start();
    const key = '{acme}:f1:url-shortener:by-user=u1';
    for (const put of [
      () => node.admin.lpush(key, 'x'),
      () => node.admin.set(key, 'not ours'),
      () => node.admin.set(key, ''),
    ]) {
      await node.admin.del(key);
      await put();
      expect(await node.ask('u1')).toMatchObject({ success: true, remaining: 2, degraded: false });
    }
  });

  it('a foreign receipt affects only its own request, as a conflict', async () => {
    await node.start();
    await node.admin.set('{acme}:r1=r-1', 'not ours');
    const [bad, good] = await Promise.allSettled([
      node.plane.limit({ ...create, subject: { user: 'u1' }, requestId: 'r-1' }),
      node.ask('u2'),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'request-id-reused' } });
    expect(good).toMatchObject({ status: 'fulfilled', value: { success: true, degraded: false } });
  });
});

/** A server that reloads its data slowly while it accepts connections. */
const SLOW_LOADER = ['--enable-debug-command', 'yes', '--loading-process-events-interval-bytes', '1024'];

describe('counter Redis that does not accept writes', { tags: 'redis-server' }, () => {
  const node = new Node();
  beforeEach(() => node.begin(() => startRealRedis({ extraArgs: SLOW_LOADER })));
  afterEach(() => node.end());

  const causeOfDegradation = async () => {
    await eventually(async () => (await node.ask('u1')).degraded);
    return node.events.find((event) => event.kind === 'degraded')?.cause;
  };
  const recovers = () => eventually(async () => !(await node.ask('u2')).degraded);

  it('READONLY: a replica', async () => {
    await node.start();
    expect(await node.ask('u1')).toMatchObject({ degraded: false });
    // The master does not exist; the point is that the replica accepts no writes.
    await node.admin.replicaof('127.0.0.1', 1);
    expect(await causeOfDegradation()).toMatch(/^failed: READONLY/);
    await node.admin.replicaof('NO', 'ONE');
    await recovers();
  });

  it('LOADING: a server that is loading its data', async () => {
    await node.start();
    const filler = node.admin.pipeline();
    for (let i = 0; i < 2000; i++) filler.set(`filler:${i}`, 'x'.repeat(100));
    await filler.exec();
    await node.admin.config('SET', 'key-load-delay', '1000');
    const reload = node.admin.debug('RELOAD');
    expect(await causeOfDegradation()).toMatch(/^failed: LOADING/);
    await reload;
    await recovers();
  });
});
