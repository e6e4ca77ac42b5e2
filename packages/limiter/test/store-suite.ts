import { expect, it } from 'vitest';
import type { Check, DecisionStore } from '../src/stores/decision-store.js';
import { amendSuite } from './amend-suite.js';
import { freshCheck as check } from './fresh-check.js';
import { fixedWindowPolicy, gcraPolicy } from './policies.js';

const hour = { windowMs: 3_600_000, alignment: 'first_request' as const };

/**
 * Common tests of every DecisionStore. Windows are long, so that none ends during a test.
 * @param store called in each test, after setup
 */
export function storeSuite(store: () => DecisionStore): void {
  const decide = async (checks: readonly Check[], peek = false) => {
    const reply = await store().charge({ checks, peek });
    if (!reply.available) throw new Error(`the store is unavailable: ${reply.reason}`);
    return reply;
  };

  it('admits up to the limit, then returns the wait', async () => {
    const one = check(fixedWindowPolicy({ limit: 3, ...hour }));
    for (const remaining of [2, 1, 0]) {
      expect(await decide([one])).toMatchObject({ allowed: true, checks: [{ remaining, waitUs: 0 }] });
    }
    const refused = await decide([one]);
    expect(refused).toMatchObject({ allowed: false, checks: [{ allowed: false, remaining: 0 }] });
    expect(refused.checks[0]?.waitUs).toBeGreaterThan(3_590_000_000);
    expect(refused.checks[0]?.waitUs).toBeLessThanOrEqual(3_600_000_000);
  });

  it('charges a cost entirely or not at all', async () => {
    const policy = fixedWindowPolicy({ limit: 10, ...hour });
    const one = check(policy);
    expect(await decide([{ ...one, cost: 8 }])).toMatchObject({ allowed: true, checks: [{ remaining: 2 }] });
    expect(await decide([{ ...one, cost: 3 }])).toMatchObject({ allowed: false, checks: [{ remaining: 2 }] });
    expect(await decide([{ ...one, cost: 2 }])).toMatchObject({ allowed: true, checks: [{ remaining: 0 }] });
    expect(await decide([{ ...one, cost: 11 }])).toMatchObject({ checks: [{ waitUs: -1 }] });
  });

  it('a denial by one limit charges none of them, and returns the remaining units of each', async () => {
    const narrow = check(gcraPolicy({ limit: 1, windowMs: 3_600_000 }));
    const wide = check(fixedWindowPolicy({ limit: 5, ...hour }));
    expect(await decide([wide, narrow])).toMatchObject({
      allowed: true,
      checks: [{ remaining: 4 }, { remaining: 0 }],
    });
    for (let i = 0; i < 3; i++) {
      expect(await decide([wide, narrow])).toMatchObject({
        allowed: false,
        checks: [
          { allowed: true, remaining: 4 },
          { allowed: false, remaining: 0 },
        ],
      });
    }
    expect(await decide([wide])).toMatchObject({ allowed: true, checks: [{ remaining: 3 }] });
  });

  it('a peek charges nothing and returns the remaining units', async () => {
    const one = check(fixedWindowPolicy({ limit: 2, ...hour }));
    expect(await decide([one], true)).toMatchObject({ allowed: true, checks: [{ remaining: 2 }] });
    await decide([one]);
    await decide([one]);
    expect(await decide([one], true)).toMatchObject({ allowed: false, checks: [{ remaining: 0 }] });
  });

  it('a limit that is only checked is not charged, and prevents the others from being charged if it denies', async () => {
    const budget = check(fixedWindowPolicy({ limit: 1, ...hour }));
    const rate = check(gcraPolicy({ limit: 9, windowMs: 3_600_000, burst: 8 }));
    const checks = [{ ...budget, look: true as const }, rate];
    expect(await decide(checks)).toMatchObject({
      allowed: true,
      checks: [{ remaining: 1 }, { remaining: 8 }],
    });
    await decide([budget]);
    expect(await decide(checks)).toMatchObject({
      allowed: false,
      checks: [
        { allowed: false, remaining: 0 },
        { allowed: true, remaining: 8 },
      ],
    });
    expect(await decide([{ ...budget, look: true }])).toMatchObject({ allowed: false });
    expect(await decide([rate])).toMatchObject({ allowed: true, checks: [{ remaining: 7 }] });
  });

  it('cost zero changes nothing', async () => {
    const one = check(gcraPolicy({ limit: 1, windowMs: 3_600_000, burst: 1 }));
    await decide([one]);
    expect(await decide([{ ...one, cost: 0 }])).toMatchObject({ allowed: true, checks: [{ remaining: 1 }] });
    expect(await decide([one])).toMatchObject({ allowed: true, checks: [{ remaining: 0 }] });
    expect(await decide([{ ...one, cost: 0 }])).toMatchObject({ allowed: true, checks: [{ remaining: 0 }] });
  });

  it('of two concurrent requests with one left, one is allowed', async () => {
    const one = check(fixedWindowPolicy({ limit: 3, ...hour }));
    await decide([one]);
    await decide([one]);
    const both = await Promise.all([decide([one]), decide([one])]);
    expect(both.filter((reply) => reply.allowed)).toHaveLength(1);
  });

  it('concurrent requests are decided in order, each after the ones before', async () => {
    const one = check(fixedWindowPolicy({ limit: 400, ...hour }));
    const replies = await Promise.all(Array.from({ length: 1000 }, () => decide([one])));
    expect(replies.map((reply) => reply.allowed)).toEqual(Array.from({ length: 1000 }, (_, i) => i < 400));
    expect(replies[0]?.checks[0]?.remaining).toBe(399);
    expect(replies[399]?.checks[0]?.remaining).toBe(0);
  });

  amendSuite(store);
}
