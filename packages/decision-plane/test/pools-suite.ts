import type { Priority } from '@tollgate/contracts';
import { compilePool, type Pool } from '@tollgate/policy';
import { seededRandom } from '@tollgate/test-kit/random';
import { describe, expect, inject, it } from 'vitest';
import { type PoolBackend, PoolSimulation } from './pools-simulation.js';

const SEED = inject('testSeed');

let pools = 0;

/** A pool that no other test uses. */
export function poolOf(capacity: number, reclaimPercent = 80): Pool {
  return compilePool('api', { name: `p-${pools++}`, operations: [], capacity, reclaimPercent });
}

/** Calls `ask` at an even rate of `perSecond`, from every millisecond. */
export function steadily(perSecond: number, ask: () => void): () => void {
  let owed = 0;
  return () => {
    for (owed += perSecond / 1000; owed >= 1; owed--) ask();
  };
}

/** Runs calls in sequence. */
export function together(calls: readonly (() => void)[]): () => void {
  return () => {
    for (const call of calls) call();
  };
}

/** All properties of pools, for the model or the script. */
export function poolSuite(backendOf: () => PoolBackend): void {
  const simulate = (pool: Pool, nodes: number) => new PoolSimulation(pool, nodes, backendOf());

  describe('properties of a pool', () => {
    it('loans of a saturated pool converge to the weights, and none exceeds its demand', async () => {
      const random = seededRandom(SEED);
      const sim = simulate(poolOf(1000), 3);
      const anyNode = () => Math.floor(random() * 3);
      const traffic = [
        steadily(200, () => sim.admit(anyNode(), 'normal')),
        // On one node, on all, unevenly: the node of a tenant's requests must not matter.
        steadily(900, () => sim.borrow(0, 'one', 1)),
        steadily(900, () => sim.borrow(anyNode(), 'two', 2)),
        steadily(900, () => sim.borrow(random() < 0.9 ? 2 : 1, 'five', 5)),
        steadily(30, () => sim.borrow(anyNode(), 'modest', 4)),
      ];
      await sim.run(12_000, together(traffic));
      // Over ten seconds: which node a request meets varies the share of one second by several percent.
      const perSecond = (tenant: string) => sim.lentBy(tenant).between(2000, 12_000) / 10;
      // 0.8 × 1000 - 200 own = 600; 30 to the modest tenant, 570 as 1 : 2 : 5.
      expect(perSecond('modest')).toBeGreaterThan(28);
      for (const [tenant, part] of [
        ['one', 71.25],
        ['two', 142.5],
        ['five', 356.25],
      ] as const) {
        expect(perSecond(tenant) / part, tenant).toBeGreaterThan(0.95);
        expect(perSecond(tenant) / part, tenant).toBeLessThan(1.05);
      }
      expect(sim.ownRefused).toBe(0);
      expect(sim.lent.worstSecond(2200, 12_000)).toBeLessThanOrEqual(600 * (1 + 1 / 16));
    });

    it('a small pool lends its few units to everyone in turn', async () => {
      const sim = simulate(poolOf(5), 3);
      const tenants = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const traffic = tenants.map((tenant, i) => steadily(10, () => sim.borrow(i % 3, tenant, 1)));
      await sim.run(32_000, together(traffic));
      // 4 units a second, 30 s, 8 tenants: 15 each, minus losses in transfer.
      for (const tenant of tenants) {
        expect(sim.lentBy(tenant).between(2000, 32_000), tenant).toBeGreaterThanOrEqual(10);
        expect(sim.lentBy(tenant).between(2000, 32_000), tenant).toBeLessThanOrEqual(18);
      }
      expect(sim.lent.worstSecond(0, 32_000)).toBeLessThanOrEqual(4);
    });

    it('a returning tenant gets its entire limit at once; loans shrink within a second', async () => {
      const sim = simulate(poolOf(1000), 3);
      let turn = 0;
      const borrowing = steadily(2000, () => sim.borrow(turn++ % 3, 'greedy', 1));
      await sim.run(3000, borrowing);
      expect(sim.lent.between(2000, 3000)).toBeGreaterThan(760);
      const own = steadily(700, () => sim.admit(turn++ % 3, 'normal'));
      await sim.run(3000, () => {
        borrowing();
        own();
      });
      expect(sim.ownRefused).toBe(0);
      // 800 - 700 own are left. Loans follow own traffic with a delay of two exchanges.
      expect(sim.lent.between(3000, 4001)).toBeLessThanOrEqual(100 + 700 * 0.22 + 10);
      expect(sim.lent.between(3220, 4221)).toBeLessThanOrEqual(110);
      expect(sim.lent.between(4200, 5200)).toBeGreaterThan(80);
      expect(sim.total.worstSecond(0, 6000)).toBeLessThanOrEqual(800 + 700 * 0.22 + 10);
    });

    it('background loans are returned before normal, and normal before critical', async () => {
      const sim = simulate(poolOf(1000), 2);
      let turn = 0;
      const tenant: Record<Priority, string> = { critical: 'c', normal: 'n', background: 'b' };
      const borrowing = (['background', 'normal', 'critical'] as const).map((priority) =>
        steadily(200, () => sim.borrow(turn++ % 2, tenant[priority], 1, priority)),
      );
      const expectLent = (own: number, expected: readonly number[]) => {
        const perSecond = ['c', 'n', 'b'].map(
          (one) => sim.lentBy(one).between(sim.nowMs - 1999, sim.nowMs + 1) / 2,
        );
        perSecond.forEach((units, rank) => {
          expect(Math.abs(units - (expected[rank] ?? 0)), `own ${own}: ${perSecond}`).toBeLessThan(25);
        });
      };
      await sim.run(3000, together(borrowing));
      expectLent(0, [200, 200, 200]);
      for (const [own, expected] of [
        [400, [200, 200, 0]],
        [600, [200, 0, 0]],
        [800, [0, 0, 0]],
      ] as const) {
        const traffic = steadily(own, () => sim.admit(turn++ % 2, 'normal'));
        await sim.run(4000, together([traffic, ...borrowing]));
        expectLent(own, expected);
      }
    });

    it('own traffic below the capacity is never denied, in any distribution and bursts', async () => {
      const random = seededRandom(SEED);
      const sim = simulate(poolOf(400), 4);
      for (let node = 0; node < 4; node++) sim.admit(node, 'normal');
      await sim.run(1200);
      let favorite = 0;
      await sim.run(20_000, (nowMs) => {
        sim.borrow(Math.floor(random() * 4), 'greedy', 5);
        if (random() < 0.003) favorite = Math.floor(random() * 4);
        if (random() > 0.05) return;
        const priority = (['critical', 'normal', 'background'] as const)[Math.floor(random() * 3)];
        const node = random() < 0.8 ? favorite : Math.floor(random() * 4);
        const room = 400 - sim.own.between(nowMs - 1250, nowMs + 1);
        const burst = Math.min(room, Math.ceil(random() ** 3 * 400));
        for (let i = 0; i < burst; i++)
          expect(sim.admit(node, priority ?? 'normal'), `at ${nowMs}`).toBe(true);
      });
      expect(sim.own.between(0, 21_200)).toBeGreaterThan(400 * 10);
      expect(sim.ownRefused).toBe(0);
    });

    it('above the capacity, denies background first, then normal, critical last', async () => {
      const sim = simulate(poolOf(1000), 3);
      let turn = 0;
      const rates = [
        [300, 500, 900],
        [300, 900, 900],
        [1500, 900, 900],
      ] as const;
      const expected = [
        [300, 500, 200],
        [300, 700, 0],
        [1000, 0, 0],
      ] as const;
      for (const [i, [critical, normal, background]] of rates.entries()) {
        const traffic = [
          steadily(background, () => sim.admit(turn++ % 3, 'background')),
          steadily(normal, () => sim.admit(turn++ % 3, 'normal')),
          steadily(critical, () => sim.admit(turn++ % 3, 'critical')),
        ];
        await sim.run(5000, together(traffic));
        const lastTwoSeconds = (['critical', 'normal', 'background'] as const).map(
          (priority) => sim.ownBy[priority].between(sim.nowMs - 1999, sim.nowMs + 1) / 2,
        );
        lastTwoSeconds.forEach((units, rank) => {
          expect(Math.abs(units - (expected[i]?.[rank] ?? 0)), `${rates[i]}: ${lastTwoSeconds}`).toBeLessThan(
            40,
          );
        });
      }
      // A tenth above while less important traffic yields, and a sixteenth that nodes have not exchanged yet.
      expect(sim.own.worstSecond(0, 15_000)).toBeLessThanOrEqual(1000 + 100 + 63 + 40);
    });

    it('own traffic above the capacity exceeds it at most by arrivals on other nodes within an early exchange', async () => {
      for (const nodes of [1, 2, 5]) {
        const random = seededRandom(SEED + nodes);
        const sim = simulate(poolOf(1000), nodes);
        for (let node = 0; node < nodes; node++) sim.admit(node, 'normal');
        await sim.run(1200);
        const offered = 4000;
        const traffic = steadily(offered, () => sim.admit(Math.floor(random() * nodes), 'normal'));
        await sim.run(6000, traffic);
        // A sixteenth of the capacity triggers an early exchange: at least 10 ms after the last, 2 ms in transit.
        const unseen = ((nodes - 1) / nodes) * (1000 / 16 + offered * 0.012);
        expect(sim.own.worstSecond(1000, 7200), `${nodes} nodes`).toBeLessThanOrEqual(1000 + unseen);
        // In the steady state, only fluctuations of demand are above it, and almost nothing is left unused.
        expect(sim.own.worstSecond(4500, 7200), `${nodes} nodes`).toBeLessThanOrEqual(1010);
        expect(sim.own.between(4200, 7200) / 3, `${nodes} nodes`).toBeGreaterThan(930);
      }
    });

    it('the loans of a crashed node are free again within two seconds', async () => {
      const sim = simulate(poolOf(1000), 2);
      let turn = 0;
      const both = steadily(1600, () => sim.borrow(turn++ % 2, 'greedy', 1));
      const own = steadily(400, () => sim.admit(0, 'normal'));
      await sim.run(3000, () => {
        both();
        own();
      });
      sim.bookAt(0).close();
      const survivor = steadily(800, () => sim.borrow(1, 'greedy', 1));
      await sim.run(3000, survivor);
      // A second that starts two seconds after the crash.
      expect(sim.lent.between(5000, 6000)).toBeGreaterThan(760);
    });

    it('a reported cold start lowers what two nodes admit, which grows back; when disconnected, the reporting node warms up alone', async () => {
      const warmUp = { ms: 10_000, startPercent: 20 };
      const sim = simulate({ ...poolOf(1000), warmUp }, 2);
      let turn = 0;
      const traffic = steadily(1200, () => sim.admit(turn++ % 2, 'normal'));
      await sim.run(3000, traffic);
      expect(sim.own.between(2000, 3000)).toBeGreaterThan(930);
      const start = { service: 's', utilizationPercent: 95, coldStart: true };
      sim.bookAt(1).report(sim.pool, start);
      for (let second = 1; second <= 10; second++) {
        await sim.run(1000, traffic);
        // The first second began with units that were admitted before the start.
        if (second === 1) continue;
        const admitted = sim.own.between(sim.nowMs - 999, sim.nowMs + 1);
        const atEnd = 200 + 80 * second;
        expect(admitted, `second ${second}`).toBeLessThanOrEqual(atEnd + 20);
        expect(admitted, `second ${second}`).toBeGreaterThan(atEnd - 160);
      }
      await sim.run(2000, traffic);
      expect(sim.own.between(sim.nowMs - 999, sim.nowMs + 1)).toBeGreaterThan(930);
      sim.cutOff = true;
      await sim.run(9500, traffic);
      sim.bookAt(1).report(sim.pool, start);
      await sim.run(1500, traffic);
      const alone = sim.own.between(sim.nowMs - 999, sim.nowMs + 1);
      // Half of the capacity at the other node, and a fifth to a third of the other half.
      expect(alone).toBeGreaterThan(570);
      expect(alone).toBeLessThan(690);
    });

    it('capacity follows service reports, and is back to normal ten seconds after they stop', async () => {
      const sim = simulate(poolOf(1000), 2);
      const traffic = steadily(100, () => sim.admit(0, 'normal'));
      const reporting = (utilizationPercent: number) =>
        steadily(2, () => sim.bookAt(1).report(sim.pool, { service: 's', utilizationPercent }));
      const runWith = async (durationMs: number, report: () => void) =>
        await sim.run(durationMs, () => {
          traffic();
          report();
        });
      const capacity = () => sim.bookAt(0).capacityOf(sim.pool);
      await runWith(1200, reporting(125));
      expect(capacity()).toBe(800);
      await runWith(10_000, reporting(400));
      expect(capacity()).toBe(100);
      await runWith(5000, reporting(95));
      expect(capacity()).toBe(100);
      await runWith(4050, reporting(50));
      expect(capacity()).toBe(300);
      await runWith(5000, () => undefined);
      expect(capacity()).toBeLessThan(500);
      await runWith(5000, () => undefined);
      expect(capacity()).toBe(1000);
    });
  });
}
