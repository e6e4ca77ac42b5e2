import type { ApiRecord, CarryOver, LimitPolicy, TierRecord } from '@tollgate/contracts';
import type { RuleKind } from '@tollgate/limiter/algorithms';
import { describe, expect, it } from 'vitest';
import { LONG_RULES, usedAfter } from '../../limiter/test/long-rules.js';
import { gcraPolicy, policyBy } from '../../limiter/test/policies.js';
import { useRunningNode } from './running-node.js';

const RULES: readonly CarryOver[] = ['keep', 'reset', 'proportional', 'additive'];

const KINDS = Object.keys(LONG_RULES) as RuleKind[];

const nameOf = (kind: RuleKind) => kind.replaceAll('_', '-');

const limitsOf = (n: number): LimitPolicy[] =>
  KINDS.map((kind) =>
    policyBy(LONG_RULES[kind](n), {
      name: nameOf(kind),
      operations: [nameOf(kind)],
      throttle: { mode: 'soft', percent: 50 },
    }),
  );

/** The same numbers as the amount of a label, of a limit four times as high. */
const labeledLimitsOf = (n: number): LimitPolicy[] =>
  limitsOf(4 * n).map((limit) => ({
    ...limit,
    amounts: { by: 'region', labels: [{ label: 'eu', limit: n }] },
  }));

const API: ApiRecord = {
  key: 'url-shortener',
  unknownOperations: 'allow',
  operations: KINDS.map((kind) => ({ name: nameOf(kind), cost: 1 })),
};

const FROM = 8;
/** The limit plus half of its soft band, so that each rule gives a different result. */
const USED = 10;

describe('carry-over of usage through the whole path', () => {
  const node = useRunningNode();

  const requestOf = (tenant: string, kind: RuleKind) => ({
    ...{ tenant, api: API.key, operation: nameOf(kind) },
    subject: { region: 'eu' },
  });
  const useUp = async (tenant: string) => {
    for (const kind of KINDS) {
      const calls = kind === 'concurrency' ? USED : 1;
      for (let i = 0; i < calls; i++) {
        const answer = await node.plane.limit({ ...requestOf(tenant, kind), cost: USED / calls });
        expect(answer, `${tenant} ${kind}`).toMatchObject({ success: true, limit: FROM });
      }
    }
  };
  const expectCarried = async (tenant: string, to: number, rule: CarryOver) => {
    for (const kind of KINDS) {
      // 50 % more are allowed in the soft band.
      const used = usedAfter(kind, USED, { from: FROM, to, most: to * 1.5 }, rule);
      const answer = await node.plane.peek(requestOf(tenant, kind));
      const { limit, remaining } = answer;
      expect({ used: answer.used, remaining, limit }, `${kind}, ${rule}, ${FROM} to ${to}`).toEqual({
        used,
        remaining: Math.max(0, to - used),
        limit: to,
      });
    }
  };

  it.each([
    ['the limit', 12, limitsOf],
    ['the limit', 4, limitsOf],
    ['the amount of a label', 12, labeledLimitsOf],
    ['the amount of a label', 4, labeledLimitsOf],
  ] as const)(
    "a new version of the tier, %s 8 to %i: every algorithm carries over by the change's rule",
    async (_, to, limitsFor) => {
      const versionsOf = (carryOver: CarryOver, atMs: number) => [
        { number: 1, limits: limitsFor(FROM) },
        { number: 2, limits: limitsFor(to), replaces: { number: 1, carryOver, atMs } },
      ];
      const tierOf = (rule: CarryOver, currentVersion: number): TierRecord => ({
        key: rule,
        currentVersion,
        versions: versionsOf(rule, Date.now()).slice(0, currentVersion),
      });
      const tenants = RULES.map((rule) => node.relay.tenant(rule, { tier: rule }));
      const before = { apis: [API], tiers: RULES.map((rule) => tierOf(rule, 1)), tenants };
      await node.inForce(await node.relay.publish(before));
      for (const rule of RULES) await useUp(rule);
      const after = { apis: [API], tiers: RULES.map((rule) => tierOf(rule, 2)) };
      await node.inForce(await node.relay.publish(after));
      for (const rule of RULES) await expectCarried(rule, to, rule);
    },
  );

  it.each([12, 4])(
    "a tenant that moves to a tier of %i and back: every algorithm carries over by the move's rule",
    async (to) => {
      const tier = (key: string, n: number) => ({
        key,
        currentVersion: 1,
        versions: [{ number: 1, limits: limitsOf(n) }],
      });
      const tenants = RULES.map((rule) => node.relay.tenant(rule, { tier: 'old' }));
      const tiers = [tier('old', FROM), tier('new', to)];
      await node.inForce(await node.relay.publish({ apis: [API], tiers, tenants }));
      for (const rule of RULES) await useUp(rule);
      const move = (from: string, generation: number, carryOver: CarryOver) => ({
        tier: from,
        version: 1,
        generation,
        carryOver,
        atMs: Date.now(),
      });
      const moved = RULES.map((rule) => {
        const moves = [move('old', 0, rule)];
        return node.relay.tenant(rule, { tier: 'new', generation: 1, moves });
      });
      await node.inForce(await node.relay.publishTenants(moved));
      for (const rule of RULES) await expectCarried(rule, to, rule);
      // Nothing was written in between: both moves are applied at once.
      const back = moved.map((record) =>
        node.relay.tenant(record.tenant, {
          tier: 'old',
          generation: 2,
          moves: [...(record.moves ?? []), move('new', 1, 'reset')],
        }),
      );
      await node.inForce(await node.relay.publishTenants(back));
      for (const rule of RULES) {
        const answer = await node.plane.peek({ tenant: rule, api: API.key, operation: 'gcra' });
        expect(answer).toMatchObject({ used: 0, remaining: FROM });
      }
    },
  );

  it('letsencrypt/boulder#8785: the old stored time does not deny a customer whose GCRA limit was raised', async () => {
    const HOUR_MS = 3_600_000;
    const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
    const limits = [gcraPolicy({ limit: 2, windowMs: HOUR_MS, burst: 1 })];
    await node.inForce(await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] }));
    await node.plane.limit(create);
    await node.plane.limit(create);
    const refused = await node.plane.limit(create);
    expect(refused).toMatchObject({ success: false, limit: 2, used: 2, remaining: 0 });
    expect(refused.retryAfter).toBeGreaterThan(1700);
    // The stored time is an hour ahead, which is also the maximum for 100 an hour; unconverted, it would deny.
    const raised = [gcraPolicy({ limit: 100, windowMs: HOUR_MS, burst: 99 })];
    const replaces = { number: 1, carryOver: 'keep' as const, atMs: Date.now() };
    const versions = [
      { number: 1, limits },
      { number: 2, limits: raised, replaces },
    ];
    await node.inForce(await node.relay.publish({ tiers: [{ key: 'free', currentVersion: 2, versions }] }));
    expect(await node.plane.limit(create)).toMatchObject({
      success: true,
      limit: 100,
      used: 3,
      remaining: 97,
    });
  });
});
