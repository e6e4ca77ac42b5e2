import type { LimitRequest } from '@tollgate/contracts';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import type { DecisionPlaneEvent } from '../src/api/options.js';
import { TestRelay } from '../src/testing/test-relay.js';

const MB = 1024 * 1024;
const FLOOD = 30_000;
const IN_FLIGHT = 500;

const HOUR_MS = 3_600_000;

/** Moves the node's time to half past an hour, because a key budget ends with the hour. */
const HALF_PAST_MS = HOUR_MS / 2 - (Date.now() % HOUR_MS);

/** Its counters end long before those of the flood, so that `volatile-ttl` would evict them first. */
const creations = fixedWindowPolicy({
  ...{ name: 'creations', operations: ['createURL'], per: ['user'], limit: 100 },
  ...{ windowMs: HOUR_MS, alignment: 'first_request' },
  penalty: { denials: 1, windowMs: 60_000, blockMs: HOUR_MS, maxBlockMs: HOUR_MS },
});
const deletions = policyBy(
  { algorithm: 'fixed_window', limit: 1000, windowMs: 86_400_000, alignment: 'first_request' },
  { name: 'deletions', operations: ['deleteURL'], per: ['user'] },
);

class MemoryBed {
  config!: Awaited<ReturnType<typeof createTestRedis>>;
  counters!: Awaited<ReturnType<typeof createTestRedis>>;
  admin!: Redis;
  relay!: TestRelay;
  plane!: DecisionPlane;
  events: DecisionPlaneEvent[] = [];

  async begin(): Promise<void> {
    this.events = [];
    [this.config, this.counters] = await Promise.all([createTestRedis(), createTestRedis()]);
    this.admin = new Redis(this.counters.url);
    this.relay = new TestRelay(this.config.url);
    const tenants = [this.relay.tenant('acme'), this.relay.tenant('globex')];
    await this.relay.publish({ limits: [creations, deletions], tenants });
  }

  /** Starts the node on a server that has `bytes` left. */
  async start(policy: string, bytes: number): Promise<void> {
    const used = Number(/used_memory:(\d+)/.exec(await this.admin.info('memory'))?.[1]);
    await this.admin.config('SET', 'maxmemory-policy', policy);
    await this.admin.config('SET', 'maxmemory', used + bytes);
    this.plane = await DecisionPlane.start({
      countersUrl: this.counters.url,
      configUrl: this.config.url,
      policyKeys: 'unsigned',
      nodeId: 'node-1',
      version: 'test',
      deadlineMs: 5000,
      nowMs: () => Date.now() + HALF_PAST_MS,
      onEvent: (event) => this.events.push(event),
    });
  }

  createOne(tenant: string, user: string) {
    return this.plane.limit({ tenant, api: 'url-shortener', operation: 'createURL', subject: { user } });
  }

  /** Sends requests of one user; returns how many were admitted, and how many of the answers were degraded. */
  async create(tenant: string, user: string, requests: number) {
    const answers = [];
    for (let i = 0; i < requests; i++) answers.push(await this.createOne(tenant, user));
    const admitted = answers.filter(({ success }) => success).length;
    return { admitted, degraded: answers.filter(({ degraded }) => degraded).length };
  }

  /** Sends a request of each of many users; returns how many answers were degraded. */
  async flood(tenant: string, users = FLOOD): Promise<number> {
    let degraded = 0;
    for (let from = 0; from < users; from += IN_FLIGHT) {
      const requests = Array.from({ length: IN_FLIGHT }, (_, i): LimitRequest => {
        return {
          tenant,
          api: 'url-shortener',
          operation: 'deleteURL',
          subject: { user: `fresh-${from + i}` },
        };
      });
      const answers = await Promise.all(requests.map((request) => this.plane.limit(request)));
      degraded += answers.filter((answer) => answer.degraded).length;
    }
    return degraded;
  }

  async evictedKeys(): Promise<number> {
    return Number(/evicted_keys:(\d+)/.exec(await this.admin.info('stats'))?.[1]);
  }

  async end(): Promise<void> {
    await this.plane?.close();
    this.relay.close();
    this.admin.disconnect();
    await Promise.all([this.config.stop(), this.counters.stop()]);
  }
}

describe('counter Redis that runs out of memory', () => {
  const bed = new MemoryBed();
  beforeEach(() => bed.begin());
  afterEach(() => bed.end());

  it.each(['noeviction', 'volatile-ttl'])(
    'counts known users and other tenants exactly during a flood of fresh identifiers: %s',
    async (policy) => {
      await bed.start(policy, 3 * MB);
      for (const tenant of ['acme', 'globex'])
        expect(await bed.create(tenant, 'alice', 60)).toEqual({ admitted: 60, degraded: 0 });
      expect(await bed.create('acme', 'mallory', 101)).toMatchObject({ admitted: 100 });

      expect(await bed.flood('acme')).toBe(0);

      for (const tenant of ['acme', 'globex'])
        expect(await bed.create(tenant, 'alice', 140)).toEqual({ admitted: 40, degraded: 0 });
      expect(await bed.createOne('acme', 'mallory')).toMatchObject({ success: false, reason: 'PENALTY' });
      expect(await bed.create('globex', 'new-user', 140)).toEqual({ admitted: 100, degraded: 0 });
      expect(await bed.evictedKeys()).toBe(0);
      expect(bed.events.filter(({ kind }) => kind === 'key-budget-spent')).toEqual([
        { kind: 'key-budget-spent', tenant: 'acme', cause: 'memory' },
      ]);
    },
  );

  it('gives a new user of a flooded tenant a counter again when memory is free', async () => {
    await bed.start('noeviction', 3 * MB);
    await bed.flood('acme');
    await bed.admin.config('SET', 'maxmemory', 0);
    await eventually(() => bed.plane.counts.counterMemory.fullest === undefined);
    expect(await bed.create('acme', 'new-user', 140)).toEqual({ admitted: 100, degraded: 0 });
  });

  it('applies onUnavailable while it is full, marks each answer, and evicts nothing', async () => {
    await bed.start('noeviction', 3 * MB);
    await bed.create('acme', 'alice', 60);
    await bed.admin.config('SET', 'maxmemory', 1);
    expect(await bed.create('acme', 'alice', 140)).toEqual({ admitted: 40, degraded: 140 });
    await bed.admin.config('SET', 'maxmemory', 0);
    await eventually(async () => !(await bed.createOne('acme', 'alice')).degraded);
    expect(await bed.create('acme', 'alice', 10)).toEqual({ admitted: 0, degraded: 0 });
    expect(bed.events).toContainEqual(
      expect.objectContaining({ kind: 'degraded', cause: expect.stringMatching(/OOM/) }),
    );
    expect(await bed.evictedKeys()).toBe(0);
  });

  it('is reported when it may evict, at start and later, and when it has evicted', async () => {
    const warnings = () => bed.events.flatMap((event) => (event.kind === 'warning' ? event.message : []));
    await bed.start('allkeys-lru', 3 * MB);
    expect(warnings()).toEqual([expect.stringMatching(/maxmemory-policy is allkeys-lru.*noeviction/)]);
    expect(bed.plane.warnings).toEqual(warnings());
    expect(bed.plane.ready).toBe(true);

    await bed.admin.config('SET', 'maxmemory-policy', 'noeviction');
    await eventually(() => bed.plane.warnings.length === 0);
    await bed.admin.config('SET', 'maxmemory-policy', 'volatile-ttl');
    await eventually(() => warnings().length === 2);
    expect(bed.plane.warnings).toEqual([expect.stringMatching(/maxmemory-policy is volatile-ttl/)]);

    await bed.create('acme', 'alice', 1);
    await bed.admin.config('SET', 'maxmemory', 1);
    await eventually(() => warnings().length === 3);
    expect(warnings().at(-1)).toMatch(/evicted keys/);
    expect(bed.plane.counts.counterMemory.evictedKeys).toBeGreaterThan(0);
  });
});
