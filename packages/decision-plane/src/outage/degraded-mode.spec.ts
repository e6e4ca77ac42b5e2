import type { CompiledLimit } from '@tollgate/limiter/rules';
import { MemoryStore } from '@tollgate/limiter/stores';
import { EffectiveLimit, LIVE } from '@tollgate/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, gcraPolicy } from '../../../limiter/test/policies.js';
import { DegradedMode } from './degraded-mode.js';
import { LastKnown } from './local-shares.js';

const T0_US = Date.UTC(2026, 0, 1) * 1000;
const MINUTE_US = 60_000_000;

describe('degraded mode', () => {
  /** A cluster whose nodes all saw the same last readings of one counter, and then lost the store. */
  function outage(limit: CompiledLimit, nodes: number, used: number) {
    let nowUs = T0_US;
    const clockUs = () => nowUs;
    const store = new MemoryStore({ clockUs, maxKeys: 10 });
    const check = { key: '{acme}:1', policy: limit.policy, cost: 1 };
    const applied = {
      limit: new EffectiveLimit(() => limit, 0, LIVE, 'tier'),
      mode: 'enforce' as const,
      check,
    };
    const { checks } = store.chargeNow({ checks: [{ ...check, cost: used }], peek: false });
    const cluster = Array.from({ length: nodes }, () => {
      const lastKnown = new LastKnown();
      lastKnown.remember([check], checks, nowUs);
      return new DegradedMode(lastKnown, { clockUs, maxKeys: 10 });
    });
    const offer = (times: number) => {
      let admitted = 0;
      for (const node of cluster) {
        for (let i = 0; i < times; i++) {
          if (node.charge([applied], nodes, false).results[0]?.allowed) admitted++;
        }
      }
      return admitted;
    };
    /** The store is available again, has applied the local charges and decides. */
    const recover = (times: number) => {
      for (const { journal } of cluster) {
        const owed = journal.take([check.key]);
        void store.amend({ op: 'charge', checks: owed });
        expect(journal.confirm(owed)).toEqual([]);
        expect(journal.size).toBe(0);
      }
      let admitted = 0;
      for (let i = 0; i < times; i++) {
        if (store.chargeNow({ checks: [check], peek: false }).allowed) admitted++;
      }
      return admitted;
    };
    return { offer, recover, pass: (us: number) => (nowUs += us) };
  }

  it('divides six remaining units of ten among three nodes', () => {
    const window = outage(compiled(fixedWindowPolicy({ limit: 10 })), 3, 4);
    expect(window.offer(50)).toBe(6);
    window.pass(MINUTE_US);
    // The next window: a third of ten each.
    expect(window.offer(50)).toBe(9);
  });

  it('counts no denials for a penalty, because a spent share is not a spent limit', () => {
    const penalty = { denials: 1, windowMs: 60_000, blockMs: 3_600_000, maxBlockMs: 3_600_000 };
    const window = outage(compiled(fixedWindowPolicy({ limit: 10, penalty })), 3, 4);
    expect(window.offer(50)).toBe(6);
    window.pass(MINUTE_US);
    expect(window.offer(50)).toBe(9);
    window.pass(MINUTE_US);
    expect(window.recover(10)).toBe(10);
  });

  it('refills a rate with each node’s share', () => {
    // 60 a minute, 12 at once, all used: nothing now; after 3 s three are due, one a node.
    const rate = outage(compiled(gcraPolicy({ limit: 60, burst: 11 })), 3, 12);
    expect(rate.offer(50)).toBe(0);
    rate.pass(3_000_000);
    expect(rate.offer(50)).toBe(3);
  });

  it('admits no request to a full queue', () => {
    // 60 a minute, 10 s of waiting: one runs, ten wait. Half of that, at half the rate, is full too.
    const queue = gcraPolicy({ limit: 60, burst: 0, throttle: { mode: 'queue', maxDelayMs: 10_000 } });
    const full = outage(compiled(queue), 2, 11);
    expect(full.offer(50)).toBe(0);
    full.pass(2_000_000);
    expect(full.offer(50)).toBe(2);
  });

  it('admits at most the rest over all nodes, plus one per node for rounding, and nothing of an exhausted limit', () => {
    const policies = fc.record({
      limit: fc.integer({ min: 1, max: 200 }),
      nodes: fc.integer({ min: 1, max: 9 }),
      used: fc.nat(200),
      kind: fc.constantFrom('window' as const, 'rate' as const),
    });
    fc.assert(
      fc.property(policies, ({ limit, nodes, used, kind }) => {
        const policy =
          kind === 'window'
            ? fixedWindowPolicy({ limit, windowMs: 3_600_000 })
            : gcraPolicy({ limit, windowMs: 3_600_000, burst: limit - 1 });
        const spent = Math.min(used, limit);
        const admitted = outage(compiled(policy), nodes, spent).offer(limit + 5);
        expect(admitted).toBeLessThanOrEqual(limit - spent + nodes);
        if (spent === limit) expect(admitted).toBe(0);
      }),
    );
  });

  it('charges local decisions after the outage, in total at most the limit and one per node', () => {
    const cases = fc.record({
      limit: fc.integer({ min: 1, max: 200 }),
      nodes: fc.integer({ min: 1, max: 9 }),
      used: fc.nat(200),
      offered: fc.nat(60),
    });
    fc.assert(
      fc.property(cases, ({ limit, nodes, used, offered }) => {
        const spent = Math.min(used, limit);
        const window = outage(compiled(fixedWindowPolicy({ limit, windowMs: 3_600_000 })), nodes, spent);
        const without = window.offer(offered);
        window.pass(1_000_000);
        const after = window.recover(limit + 5);
        expect(spent + without + after).toBeLessThanOrEqual(limit + nodes);
        expect(spent + without + after).toBeGreaterThanOrEqual(limit);
      }),
    );
  });

  it('does not charge decisions of a past window to the next one', () => {
    const window = outage(compiled(fixedWindowPolicy({ limit: 10 })), 1, 0);
    expect(window.offer(4)).toBe(4);
    window.pass(MINUTE_US);
    expect(window.recover(50)).toBe(10);
  });

  /** A node alone, whose requests each have a counter of their own. */
  function crowd(maxKeys: number) {
    let nowUs = T0_US;
    const limit = compiled(fixedWindowPolicy({ limit: 3 }));
    const effective = new EffectiveLimit(() => limit, 0, LIVE, 'tier');
    const node = new DegradedMode(new LastKnown(), { clockUs: () => nowUs, maxKeys });
    const pass = (user: number, tenant: string) => {
      const check = { key: `{${tenant}}:${user}`, policy: limit.policy, cost: 1 };
      return (
        node.charge([{ limit: effective, mode: 'enforce', check }], 1, false).results[0]?.allowed === true
      );
    };
    const round = (users: number, tenant = 'acme') =>
      Array.from({ length: users }, (_, user) => pass(user, tenant)).filter(Boolean).length;
    return { node, round, pass: (us: number) => (nowUs += us) };
  }

  it('denies further counters instead of evicting spent shares', () => {
    // One tenant gets two fifths of the room.
    const users = crowd(2500);
    expect(users.round(1500)).toBe(1000);
    expect(users.round(1500)).toBe(1000);
    expect(users.round(1500)).toBe(1000);
    expect(users.round(1500)).toBe(0);
    const owed = users.node.journal.take([...users.node.journal.keys()]);
    expect(owed.reduce((sum, { cost }) => sum + cost, 0)).toBe(3000);
    users.node.journal.confirm(owed);
    // The next window: nothing of those is used any more.
    users.pass(MINUTE_US);
    expect(users.round(1500)).toBe(1000);
  });

  it('leaves space for five users of a tenant during floods of twenty others', () => {
    const users = crowd(5000);
    const passed = Array.from({ length: 20 }, (_, i) => users.round(2500, `flood-${i}`));
    expect(passed[0]).toBe(2000);
    expect(passed.at(-1)).toBeGreaterThan(0);
    for (let times = 0; times < 3; times++) expect(users.round(5, 'globex')).toBe(5);
    expect(users.round(5, 'globex')).toBe(0);
  });

  it('keeps the charges of further requests when the list of requests with ids is full', () => {
    const limit = compiled(fixedWindowPolicy({ limit: 100 }));
    const effective = new EffectiveLimit(() => limit, 0, LIVE, 'tier');
    const node = new DegradedMode(new LastKnown(), { clockUs: () => T0_US, maxKeys: 10 });
    const check = { key: '{acme}:1', policy: limit.policy, cost: 1 };
    for (let id = 1; id <= 25; id++) {
      const receipt = {
        key: `{acme}:r1=${id}`,
        fingerprint: id,
        holder: id,
        expiresAfterMs: 0,
        keepMs: 60_000,
      };
      node.charge([{ limit: effective, mode: 'enforce', check }], 1, false, receipt);
    }
    const owed = node.journal.take([check.key]).reduce((sum, { cost }) => sum + cost, 0);
    expect(node.unreplayedRequests.size + owed).toBe(25);
  });

  it('admits no more than the shares over any outages and recoveries of a window', () => {
    const steps = fc.array(
      fc.record({
        node: fc.nat(2),
        tenant: fc.nat(2),
        user: fc.nat(11),
        times: fc.integer({ min: 1, max: 8 }),
        /** The node's journal is applied after this step. */
        recovers: fc.boolean(),
      }),
      { maxLength: 120 },
    );
    const cases = fc.record({
      steps,
      limit: fc.integer({ min: 1, max: 12 }),
      nodes: fc.integer({ min: 1, max: 3 }),
      isRate: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ steps: taken, limit, nodes, isRate }) => {
        const windowMs = 3_600_000;
        const policy = isRate
          ? gcraPolicy({ limit, windowMs, burst: limit - 1 })
          : fixedWindowPolicy({ limit, windowMs });
        const clockUs = () => T0_US;
        const store = new MemoryStore({ clockUs, maxKeys: 100 });
        const limitOf = compiled(policy);
        const effective = new EffectiveLimit(() => limitOf, 0, LIVE, 'tier');
        const cluster = Array.from(
          { length: nodes },
          () => new DegradedMode(new LastKnown(), { clockUs, maxKeys: 15 }),
        );
        const admitted = new Map<string, number>();
        for (const { node: index, tenant, user, times, recovers } of taken) {
          const node = cluster[index % nodes];
          if (node === undefined) throw new Error('no such node');
          const check = { key: `{tenant-${tenant}}:${user}`, policy: limitOf.policy, cost: 1 };
          for (let i = 0; i < times; i++) {
            const { results } = node.charge([{ limit: effective, mode: 'enforce', check }], nodes, false);
            if (results[0]?.allowed) admitted.set(check.key, (admitted.get(check.key) ?? 0) + 1);
          }
          if (!recovers) continue;
          const owed = node.journal.take([...node.journal.keys()]);
          const readings = owed.flatMap((one) => {
            void store.amend({ op: 'charge', checks: [one] });
            return store.chargeNow({ checks: [{ ...one, cost: 0 }], peek: true }).checks;
          });
          expect(node.journal.confirm(owed)).toEqual([]);
          node.onReplayed(owed, readings, clockUs());
          node.end();
        }
        for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(Math.max(limit, nodes));
      }),
      { numRuns: 300 },
    );
  });

  it('replays failed charges with later ones, without expired units', () => {
    const users = crowd(10);
    users.round(1);
    const { journal } = users.node;
    const first = journal.take(['{acme}:0']);
    expect(first.map(({ cost }) => cost)).toEqual([1]);
    users.round(1);
    journal.restore(first);
    const second = journal.take(['{acme}:0']);
    expect(second.map(({ cost }) => cost)).toEqual([2]);
    users.round(1);
    expect(journal.confirm(second)).toEqual(['{acme}:0']);
    users.pass(MINUTE_US);
    expect(journal.take(['{acme}:0'])).toEqual([]);
    expect(journal.size).toBe(0);
  });
});
