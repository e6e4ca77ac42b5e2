import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { create, HOUR_MS, LIMIT, nextTurn, OutageNode, perUser } from './outage-node.js';

describe('the end of an outage', () => {
  it('200 requests in flight over 20 users: each user gets exactly the limit, in any order', async () => {
    const node = new OutageNode({ limits: [perUser] });
    await node.pass(20, {}, 20);
    node.store.isAway = true;
    const totals = new Array<number>(20).fill(1);
    const add = (passed: number[]) => {
      for (const [i, count] of passed.entries()) totals[i] = (totals[i] ?? 0) + count;
    };
    add(await node.pass(1900, {}, 20));
    node.store.isAway = false;
    for (let round = 0; round < 20; round++) add(await node.pass(200, {}, 20));
    expect(Math.max(...totals)).toBeLessThanOrEqual(LIMIT + 1);
    expect(Math.min(...totals)).toBeGreaterThanOrEqual(LIMIT);
  });

  it('ends for a counter under constant load with plenty left', async () => {
    const node = new OutageNode({ limits: [{ ...perUser, limit: 1_000_000 }] });
    node.store.isAway = true;
    await node.pass(10);
    node.store.isAway = false;
    const degraded: boolean[] = [];
    const running: Promise<void>[] = [];
    for (let i = 0; i < 200; i++) {
      const asked = node.engine.limit({ ...create, subject: { user: 'u0' } });
      running.push(asked.then((answer) => void degraded.push(answer.degraded)));
      if (i % 4 === 0) await nextTurn();
    }
    await Promise.all(running);
    expect(degraded.filter(Boolean).length).toBeLessThan(20);
    const { remaining } = await node.engine.limit({ ...create, subject: { user: 'u0' } });
    expect(remaining).toBe(1_000_000 - 211);
  });

  it('charges requests with an id afterwards, and repeated ones once', async () => {
    const node = new OutageNode({ limits: [perUser] });
    await node.pass(1);
    node.store.isAway = true;
    const subject = { user: 'u0' };
    const ask = (i: number) => node.engine.limit({ ...create, subject, requestId: `id-${i}` });
    const first = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(i)));
    expect(first.filter(({ success }) => success)).toHaveLength(50);
    const again = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(i)));
    node.store.isAway = false;
    const after = await Promise.all(Array.from({ length: 25 }, (_, i) => ask(i)));
    for (const { success } of [...again, ...after]) expect(success).toBe(true);
    let passed = 0;
    for (let round = 0; round < 30; round++) passed += (await node.pass(10))[0] ?? 0;
    expect(passed).toBe(LIMIT - 51);
  });

  it('an id used during the outage is a conflict for another request', async () => {
    const other = fixedWindowPolicy({ ...perUser, name: 'deletes', operations: ['deleteURL'] });
    const node = new OutageNode({ limits: [perUser, other] });
    node.store.isAway = true;
    const request = { ...create, subject: { user: 'u0' }, requestId: 'id-1' };
    await node.engine.limit(request);
    const reused = { ...request, operation: 'deleteURL' };
    await expect(node.engine.limit(reused)).rejects.toMatchObject({ code: 'request-id-reused' });
    node.store.isAway = false;
    await expect(node.engine.limit(reused)).rejects.toMatchObject({ code: 'request-id-reused' });
  });

  it('retries a lost charge; over repeated outages, a share is spent once', async () => {
    const node = new OutageNode({ limits: [perUser] });
    await node.pass(1);
    let total = 1;
    for (let flap = 0; flap < 6; flap++) {
      node.store.isAway = true;
      total += (await node.pass(30))[0] ?? 0;
      node.store.lostCharges = 1;
      node.store.isAway = false;
      total += (await node.pass(1))[0] ?? 0;
      await nextTurn();
      await nextTurn();
    }
    for (let round = 0; round < 10; round++) total += (await node.pass(50))[0] ?? 0;
    expect(total).toBeLessThanOrEqual(LIMIT + 1);
    expect(total).toBeGreaterThanOrEqual(LIMIT);
  });

  it('the share of a tenant on an unavailable shard, with occasional requests, is spent once', async () => {
    const node = new OutageNode({ limits: [perUser] });
    await node.pass(1);
    node.store.deadTenant = 'acme';
    let total = 1;
    for (let i = 0; i < 60; i++) {
      total += (await node.pass(10))[0] ?? 0;
      node.clock.advanceMs(1500);
      await node.pass(1, { tenant: 'globex' });
    }
    expect(node.recoveries).toBeGreaterThan(1);
    node.store.deadTenant = '';
    for (let round = 0; round < 10; round++) total += (await node.pass(50))[0] ?? 0;
    expect(total).toBeLessThanOrEqual(LIMIT + 1);
  });

  it('charges counters without further requests too, also after a failed first attempt', async () => {
    const node = new OutageNode({ limits: [perUser] });
    node.store.isAway = true;
    await node.pass(40);
    node.store.isAway = false;
    node.store.lostCharges = 1;
    for (let i = 0; i < 4; i++) {
      node.clock.advanceMs(1100);
      await node.pass(1, { subject: { user: 'other' } });
      await nextTurn();
    }
    const { remaining } = await node.engine.peek({ ...create, subject: { user: 'u0' } });
    expect(remaining).toBe(LIMIT - 40);
  });

  it('charges a thousand idle tenants, although the store fails again in between', async () => {
    const node = new OutageNode({ limits: [perUser] });
    node.store.isAway = true;
    const tenants = Array.from({ length: 1000 }, (_, i) => `tenant-${i}`);
    for (const tenant of tenants) await node.pass(1, { tenant });
    node.store.deadTenant = 'tenant-7';
    node.store.isAway = false;
    for (let i = 0; i < 20; i++) {
      if (i === 5) node.store.deadTenant = '';
      node.store.isAway = i === 3;
      node.clock.advanceMs(1100);
      await node.pass(1, { subject: { user: 'other' } });
      for (let turn = 0; turn < 1100; turn++) await nextTurn();
    }
    for (const tenant of tenants) {
      const { remaining } = await node.engine.peek({ ...create, tenant, subject: { user: 'u0' } });
      expect(remaining, tenant).toBe(LIMIT - 1);
    }
  });

  it('charges a reservation settled during the outage at its actual cost', async () => {
    const node = new OutageNode({ limits: [perUser] });
    const subject = { user: 'u0' };
    await node.pass(1);
    node.store.isAway = true;
    await node.engine.reserve({ ...create, subject, cost: 60, requestId: 'r-1', expiresInMs: 60_000 });
    await node.engine.amender.settle({ tenant: 'acme', requestId: 'r-1', cost: 10 });
    node.store.isAway = false;
    await node.pass(1);
    await nextTurn();
    await nextTurn();
    const { remaining } = await node.engine.peek({ ...create, subject });
    expect(remaining).toBe(LIMIT - 12);
  });

  it('spends leased units first, which are not part of the share', async () => {
    const leased = policyBy(
      { algorithm: 'fixed_window', limit: 1000, windowMs: HOUR_MS, alignment: 'clock' },
      { operations: ['createURL'], consistency: { mode: 'leased', leaseMs: 60_000 } },
    );
    const node = new OutageNode({ limits: [leased] });
    let total = 0;
    for (let round = 0; round < 40; round++) {
      total += (await node.pass(20, { subject: {} }))[0] ?? 0;
      await nextTurn();
      await nextTurn();
      node.clock.advanceMs(20);
    }
    node.store.isAway = true;
    for (let round = 0; round < 60; round++) total += (await node.pass(20, { subject: {} }))[0] ?? 0;
    expect(total).toBeLessThanOrEqual(1001);
    await node.engine.close();
  });
});
