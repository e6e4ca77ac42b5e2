import type { LimitCrossing, LimitPolicy, TenantRecord } from '@tollgate/contracts';
import type { CheckResult } from '@tollgate/limiter/stores';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, gcraPolicy } from '../../../limiter/test/policies.js';
import { LimitCrossings } from './limit-crossings.js';

const MINUTE_US = 60_000_000;
/** The start of a minute. */
const START_US = 1_800_000_000_000_000;

const ACME: TenantRecord = {
  kind: 'tenant',
  revision: 1,
  tenant: 'acme',
  status: 'active',
  tier: 'free',
  pinnedVersion: null,
};

/** The result of a decision that left `remaining`. */
const left = (remaining: number, resetAfterUs = 30_000_000): CheckResult => ({
  allowed: true,
  over: remaining < 0,
  remaining,
  waitUs: 0,
  resetAfterUs,
});

function crossedBy(
  crossings: LimitCrossings,
  policy: LimitPolicy,
  {
    cost = 1,
    key = '{acme}:k',
    nowUs = START_US,
    tenant = ACME,
  }: { cost?: number; key?: string; nowUs?: number; tenant?: TenantRecord },
  result: CheckResult,
): readonly LimitCrossing[] {
  return crossings.crossedBy(tenant, policy, { key, policy: compiled(policy).policy, cost }, result, nowUs);
}

describe('thresholds of a tenant', () => {
  const ten = fixedWindowPolicy({ limit: 10 });
  const { api, name } = ten;
  const percentsWith = (alerts: TenantRecord['alerts']) => {
    const tenant = { ...ACME, ...(alerts === undefined ? {} : { alerts }) };
    const crossings = new LimitCrossings();
    return Array.from({ length: 10 }, (_, used) => crossedBy(crossings, ten, { tenant }, left(9 - used)))
      .flat()
      .map(({ percent }) => percent);
  };

  it.each([
    ['default to 80 and 100 percent', undefined, [80, 100]],
    ['for all limits always include 100 percent', [{ percents: [50] }], [50, 100]],
    [
      'for this limit override those of its API and of all limits',
      [{ percents: [10] }, { api, percents: [20] }, { api, limit: name, percents: [30] }],
      [30, 100],
    ],
    ['for its API override those of all limits', [{ percents: [10] }, { api, percents: [20] }], [20, 100]],
    ['for another API do not apply', [{ api: 'another', percents: [10] }], [80, 100]],
    [
      'for another limit of the API do not apply',
      [{ percents: [70] }, { api, limit: 'another', percents: [10] }],
      [70, 100],
    ],
    ['are sorted and include 100 percent once', [{ percents: [100, 20, 90, 50] }], [20, 50, 90, 100]],
  ] as [string, TenantRecord['alerts'], number[]][])('%s', (_, alerts, told) => {
    expect(percentsWith(alerts)).toEqual(told);
  });
});

describe('LimitCrossings', () => {
  const ten = fixedWindowPolicy({ limit: 10 });

  it('reports only the decisions that reach 80 % and 100 %', () => {
    const crossings = new LimitCrossings();
    const percents = Array.from({ length: 10 }, (_, used) =>
      crossedBy(crossings, ten, {}, left(9 - used)).map(({ percent }) => percent),
    );
    expect(percents).toEqual([[], [], [], [], [], [], [], [80], [], [100]]);
  });

  it('reports limit, counter, tenant and time', () => {
    expect(crossedBy(new LimitCrossings(), ten, { nowUs: START_US + 1500 }, left(2, 29_998_500))).toEqual([
      {
        id: `{acme}:k|80|${START_US / 1000 + 30_000}`,
        tenant: 'acme',
        api: 'url-shortener',
        limit: 'create-minute',
        counter: '{acme}:k',
        percent: 80,
        used: 8,
        capacity: 10,
        atMs: START_US / 1000 + 1,
      },
    ]);
  });

  it('reports the highest of several crossed thresholds, also above the limit', () => {
    const crossings = new LimitCrossings({ thresholds: [110, 50, 100] });
    const crossed = crossedBy(crossings, ten, { cost: 8 }, left(-1)).map(({ percent }) => percent);
    expect(crossed).toEqual([110]);
  });

  it('reports a limit of 1 once', () => {
    const one = fixedWindowPolicy({ limit: 1 });
    expect(crossedBy(new LimitCrossings(), one, {}, left(0)).map(({ percent }) => percent)).toEqual([100]);
  });

  it('reports the highest threshold that each decision reaches, on any node and in any steps', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        costs,
        fc.infiniteStream(fc.nat(2)),
        (limit, all, nodeOf) => {
          const nodes = Array.from({ length: 3 }, () => new LimitCrossings({ maxRemembered: 10 }));
          const stored = fixedWindowPolicy({ limit });
          const { policy } = compiled(stored);
          const heard: LimitCrossing[] = [];
          const reached: number[] = [];
          let used = 0;
          for (const cost of all) {
            if (used + cost > limit) continue;
            const isReached = (percent: number) => used * 100 >= percent * limit;
            const highest = [100, 80].find((percent) => (used + cost) * 100 >= percent * limit);
            if (highest !== undefined && !isReached(highest)) reached.push(highest);
            used += cost;
            const node = nodes[nodeOf.next().value ?? 0] as LimitCrossings;
            const check = { key: '{acme}:k', policy, cost };
            heard.push(...node.crossedBy(ACME, stored, check, left(limit - used), START_US));
          }
          expect(heard.map(({ percent }) => percent)).toEqual(reached);
        },
      ),
    );
  });

  it('uses the same ids on all nodes, and other ids in other windows', () => {
    const idAt = (nowUs: number, resetAfterUs: number) =>
      crossedBy(new LimitCrossings(), ten, { nowUs }, left(2, resetAfterUs))[0]?.id;
    expect(idAt(START_US, 30_000_000)).toBe(idAt(START_US + 20_000_000, 10_000_000));
    expect(idAt(START_US, 30_000_000)).not.toBe(idAt(START_US + 30_000_000, 60_000_000));
  });

  it('reports a continuously refilled counter once per window, with one id on all nodes', () => {
    const gcra = gcraPolicy({ limit: 100, burst: 9 });
    const nodes = [new LimitCrossings(), new LimitCrossings()] as const;
    const cross = (node: LimitCrossings, nowUs: number) =>
      crossedBy(node, gcra, { nowUs }, left(2)).map(({ id }) => id);
    const first = cross(nodes[0], START_US);
    expect(first).toHaveLength(1);
    expect(cross(nodes[0], START_US + MINUTE_US - 1)).toEqual([]);
    expect(cross(nodes[1], START_US + MINUTE_US - 1)).toEqual(first);
    const second = cross(nodes[0], START_US + MINUTE_US);
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  it('remembers a bounded number of counters; a forgotten one is reported again with the same id', () => {
    const crossings = new LimitCrossings({ maxRemembered: 1 });
    const cross = (key: string) => crossedBy(crossings, gcraPolicy({ burst: 9 }), { key }, left(2))[0]?.id;
    const first = cross('{acme}:a');
    cross('{acme}:b');
    expect(cross('{acme}:a')).toBe(first);
  });
});
