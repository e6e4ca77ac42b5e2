import { describe, expect, it } from 'vitest';
import { MAX_BORROWERS } from '../src/pools/pool-ledger.js';
import { modelBackend, PoolSimulation } from './pools-simulation.js';
import { poolOf, steadily, together } from './pools-suite.js';

const simulate = (capacity: number, nodes: number) =>
  new PoolSimulation(poolOf(capacity), nodes, modelBackend());

const admitMany = (sim: PoolSimulation, node: number, requests: number) =>
  Array.from({ length: requests }, () => sim.admit(node, 'normal')).filter(Boolean).length;

describe('a node and its pools', () => {
  it('before the pool has replied, a node admits its part and lends nothing', async () => {
    const sim = simulate(100, 4);
    expect(admitMany(sim, 0, 60)).toBe(25);
    expect(sim.borrow(0, 'a', 1)).toBe(false);
    // The reply is there after two messages: all that is left.
    await sim.run(3);
    expect(admitMany(sim, 0, 200)).toBe(75);
  });

  it('a single node admits the full capacity from the start', () => {
    const sim = simulate(100, 1);
    expect(admitMany(sim, 0, 130)).toBe(100);
  });

  it('when disconnected, the nodes together never exceed the capacity and lend nothing; then all is as before', async () => {
    const sim = simulate(1000, 4);
    let turn = 0;
    const traffic = steadily(3000, () => sim.admit(turn++ % 2, 'normal'));
    const borrowing = steadily(100, () => sim.borrow(3, 'a', 1));
    await sim.run(2000, traffic);
    sim.cutOff = true;
    await sim.run(2000, () => {
      traffic();
      borrowing();
    });
    // After half a second each has a quarter; two of the four have traffic.
    expect(sim.own.worstSecond(2000 + 1700, 4000)).toBeLessThanOrEqual(500);
    expect(sim.own.worstSecond(2000 + 1700, 4000)).toBeGreaterThan(470);
    expect(sim.own.worstSecond(0, 4000)).toBeLessThanOrEqual(1100);
    expect(sim.lent.between(0, 4000)).toBe(0);
    sim.cutOff = false;
    await sim.run(3000, traffic);
    expect(sim.own.between(5000, 7000) / 2).toBeGreaterThan(950);
    expect(sim.own.worstSecond(5000, 7000)).toBeLessThanOrEqual(1010);
  });

  it('when disconnected and above its part, denies background first', async () => {
    const sim = simulate(300, 3);
    sim.cutOff = true;
    const traffic = [
      steadily(200, () => sim.admit(0, 'background')),
      steadily(60, () => sim.admit(0, 'critical')),
    ];
    await sim.run(4000, together(traffic));
    expect(sim.ownBy.critical.between(2000, 4000)).toBeGreaterThanOrEqual(118);
    expect(sim.ownBy.background.between(2000, 4000)).toBeGreaterThan(60);
  });

  it('a request that its limits deny has no effect on the pool', async () => {
    const sim = simulate(100, 1);
    for (let i = 0; i < 500; i++) {
      expect(sim.bookAt(0).admit(sim.pool, 'normal', 100)).toBe(true);
      sim.bookAt(0).undoAdmit(sim.pool, 'normal', 100);
      await sim.run(7);
    }
    expect(admitMany(sim, 0, 130)).toBe(100);
  });

  it('an unused loan takes nothing from others and is no demand', async () => {
    const sim = simulate(1000, 1);
    const book = sim.bookAt(0);
    let turn = 0;
    const speculating = steadily(2000, () => {
      const tenant = `t${turn++ % 20}`;
      const lent = book.borrow(sim.pool, tenant, 1, 'normal', 1);
      book.undoBorrow(sim.pool, tenant, 'normal', 1, lent);
    });
    const needing = steadily(700, () => sim.borrow(0, 'a', 1));
    await sim.run(4000, () => {
      speculating();
      needing();
    });
    expect(sim.lentBy('a').between(2000, 4000) / 2).toBeGreaterThan(680);
  });

  it('a cost above one unit is decided as a whole', async () => {
    const sim = simulate(100, 1);
    await sim.run(5, () => sim.admit(0, 'normal', 30));
    expect(sim.own.between(0, 6)).toBe(90);
    expect(sim.admit(0, 'normal', 11)).toBe(false);
    expect(sim.admit(0, 'normal', 10)).toBe(true);
    expect(sim.admit(0, 'normal', 101)).toBe(false);
  });

  it('exchanges every 100 ms under traffic, rarely more often, and not at all when idle', async () => {
    const sim = simulate(1000, 3);
    let turn = 0;
    await sim.run(
      5000,
      steadily(900, () => sim.admit(turn++ % 3, 'normal')),
    );
    expect(sim.exchanges).toBeGreaterThanOrEqual(3 * 48);
    expect(sim.exchanges).toBeLessThanOrEqual(3 * 70);
    await sim.run(2300);
    expect(sim.pendingTimers).toBe(0);
    const before = sim.exchanges;
    await sim.run(2000);
    expect(sim.exchanges).toBe(before);
    expect(sim.admit(0, 'normal')).toBe(true);
    await sim.run(3);
    expect(sim.exchanges).toBe(before + 1);
  });

  it('an unavailable pool is called once per interval', async () => {
    const sim = simulate(1000, 3);
    sim.cutOff = true;
    await sim.run(3000, () => sim.admit(0, 'normal', 100));
    expect(sim.exchanges).toBeLessThanOrEqual(32);
  });

  it('tenants above the maximum number of accounts share one', async () => {
    const model = modelBackend();
    let mostReported = 0;
    const sim = new PoolSimulation(poolOf(10_000), 1, (pool, report, nowMs) => {
      mostReported = Math.max(mostReported, report.borrowers.length);
      return model(pool, report, nowMs);
    });
    let turn = 0;
    await sim.run(3000, () => {
      for (let i = 0; i < 10; i++) sim.borrow(0, `t${turn++ % (MAX_BORROWERS * 3)}`, 1);
    });
    expect(mostReported).toBe(MAX_BORROWERS + 1);
    // 10,000 a second are wanted, 8,000 spare: tenants without their own account are served too.
    const late = Array.from({ length: MAX_BORROWERS }, (_, i) => sim.lentBy(`t${MAX_BORROWERS * 2 + i}`));
    expect(late.filter((tally) => tally.between(0, 3000) > 0).length).toBeGreaterThan(0);
  });

  it('a changed capacity takes effect within one exchange', async () => {
    const sim = simulate(1000, 1);
    const book = sim.bookAt(0);
    await sim.run(500, () => book.admit(sim.pool, 'normal', 1));
    const smaller = { ...sim.pool, capacity: 10 };
    await sim.run(110, () => book.admit(smaller, 'normal', 1));
    expect(book.capacityOf(smaller)).toBe(10);
    expect(book.admit(smaller, 'critical', 1)).toBe(false);
  });
});
