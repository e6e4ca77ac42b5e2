import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { create, HOUR_MS, nextTurn, OutageNode } from './outage-node.js';

const LIMIT = 5;
const FLOOD = 77_000;
const perIp = fixedWindowPolicy({
  limit: LIMIT,
  windowMs: HOUR_MS,
  per: ['ip'],
  operations: ['createURL'],
});

/** The nth /64 of 2001:db8::/32. */
const network = (n: number) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;

class FloodedNode extends OutageNode {
  constructor() {
    super({ limits: [perIp] });
  }

  /** Number of `count` requests of one network that are allowed. */
  async ask(tenant: string, n: number, count: number): Promise<number> {
    let passed = 0;
    for (let i = 0; i < count; i++) {
      const { success } = await this.engine.limit({ ...create, tenant, subject: { ip: network(n) } });
      if (success) passed++;
    }
    return passed;
  }

  async flood(tenant: string, networks: number): Promise<void> {
    for (let n = 0; n < networks; n++) await this.ask(tenant, n, 1);
  }

  /** Redis is back: its first reply makes the node replay its journal. */
  async recover(): Promise<void> {
    this.store.isAway = false;
    this.clock.advanceMs(1100);
    await this.ask('initech', 0, 1);
    for (let turn = 0; turn < 3000; turn++) await nextTurn();
  }
}

describe('a flood of one tenant during an outage', () => {
  it("other tenants' users keep their shares, in this outage and in later ones", async () => {
    const node = new FloodedNode();
    for (let outage = 0; outage < 3; outage++) {
      node.store.isAway = true;
      await node.flood('acme', FLOOD);
      expect(await node.ask('globex', outage, LIMIT + 1), `outage ${outage}`).toBe(LIMIT);
      await node.recover();
    }
  });

  it('does not return a spent share: over three outages in one window, a user gets the limit once', async () => {
    const node = new FloodedNode();
    let passed = 0;
    for (let outage = 0; outage < 3; outage++) {
      node.store.isAway = true;
      passed += await node.ask('globex', 1, LIMIT - 3);
      await node.flood('acme', FLOOD / 3);
      await node.recover();
    }
    expect(passed).toBe(LIMIT);
    expect(await node.ask('globex', 1, LIMIT)).toBe(0);
  });
});
