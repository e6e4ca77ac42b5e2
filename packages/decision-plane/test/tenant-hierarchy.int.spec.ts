import type { LimitPolicy, LimitRequest } from '@tollgate/contracts';
import { eventually } from '@tollgate/test-kit';
import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { useRunningNode } from './running-node.js';

const SEED = inject('testSeed');
const api = 'url-shortener';
const DAY_MS = 86_400_000;
const window = (name: string, limit: number, over: Partial<LimitPolicy> = {}) =>
  policyBy(
    { algorithm: 'fixed_window', limit, windowMs: DAY_MS, alignment: 'first_request' },
    { name, ...over },
  );
/** On the clock, in windows of a year, so that no test spans two. */
const clocked = (name: string, limit: number, over: Partial<LimitPolicy> = {}) =>
  policyBy(
    { algorithm: 'fixed_window', limit, windowMs: 365 * DAY_MS, alignment: 'clock' },
    { name, ...over },
  );
const SHARED = 60;
const OWN = 25;
const FAMILY = ['acme', 'team-a', 'team-b', 'team-c'];
const TENANTS = [...FAMILY, 'globex'];

/** What each limit has admitted, kept beside the counters. */
class Ledger {
  private readonly used = new Map<string, number>();

  of(counter: string): number {
    return this.used.get(counter) ?? 0;
  }

  /** Charges a request like the limits, or nothing. @returns whether it is allowed */
  charge(tenant: string, cost: number): boolean {
    const counters = countersOf(tenant);
    if (counters.some(([name, limit]) => this.of(name) + cost > limit)) return false;
    this.add(tenant, cost);
    return true;
  }

  add(tenant: string, cost: number): void {
    for (const [name] of countersOf(tenant)) this.used.set(name, this.of(name) + cost);
  }
}

function countersOf(tenant: string): [name: string, limit: number][] {
  if (tenant === 'acme') return [['acme', SHARED]];
  const own: [string, number] = [tenant, OWN];
  return tenant === 'globex' ? [own] : [own, ['acme', SHARED]];
}

describe('a parent and its children on two nodes', () => {
  const node = useRunningNode();
  let other: DecisionPlane;
  let nodes: DecisionPlane[];
  let random: Random;

  beforeEach(async () => {
    random = randomFrom(SEED);
    other = await DecisionPlane.start({
      countersUrl: node.server.url,
      configUrl: node.server.url,
      policyKeys: 'unsigned',
      nodeId: 'node-2',
      version: 'test',
      deadlineMs: 5000,
    });
    nodes = [node.plane, other];
    const revision = await node.relay.publish({
      tiers: [
        { key: 'free', currentVersion: 1, versions: [{ number: 1, limits: [window('own', OWN)] }] },
        {
          key: 'group',
          currentVersion: 1,
          versions: [{ number: 1, limits: [window('group', SHARED, { sharedWithChildren: true })] }],
        },
      ],
      tenants: TENANTS.map((key) =>
        node.relay.tenant(key, {
          tier: key === 'acme' ? 'group' : 'free',
          ...(key.startsWith('team') ? { parent: 'acme' } : {}),
        }),
      ),
    });
    await eventually(() => nodes.every((one) => one.revision === revision));
  });
  afterEach(() => other.close());

  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const request = (): LimitRequest & { cost: number } => ({
    ...{ tenant: pick(TENANTS), api, operation: 'createURL', cost: 1 + random.below(3) },
  });
  const expectCounters = async (ledger: Ledger) => {
    for (const tenant of TENANTS) {
      const { policies } = await pick(nodes).peek({ tenant, api, operation: 'createURL' });
      const left = policies.map(({ remaining }) => remaining);
      expect(left, tenant).toEqual(countersOf(tenant).map(([name, limit]) => limit - ledger.of(name)));
    }
  };

  it('decide random traffic as a ledger of both limits does, also after refunds', async () => {
    const ledger = new Ledger();
    const charged: (LimitRequest & { cost: number; requestId: string })[] = [];
    for (let i = 0; i < 250; i++) {
      const refunded = random.below(6) === 0 ? charged.splice(random.below(charged.length), 1)[0] : undefined;
      if (refunded !== undefined) {
        const { tenant, requestId, cost } = refunded;
        expect(await pick(nodes).refund({ tenant, requestId })).toMatchObject({ status: 'applied' });
        ledger.add(tenant, -cost);
        continue;
      }
      const next = { ...request(), requestId: `r${i}` };
      const expected = ledger.charge(next.tenant, next.cost);
      const answer = await pick(nodes).limit(next);
      expect(answer.success, `${i}: ${JSON.stringify(next)}`).toBe(expected);
      if (expected) charged.push(next);
    }
    await expectCounters(ledger);
  });

  it('never admit more than either limit under concurrent traffic, and charge both or neither', async () => {
    const ledger = new Ledger();
    for (let round = 0; round < 8; round++) {
      const requests = Array.from({ length: 40 }, request);
      const answers = await Promise.all(requests.map((one) => pick(nodes).limit(one)));
      for (const [i, { success }] of answers.entries()) {
        const { tenant, cost } = requests[i] as (typeof requests)[number];
        if (success) ledger.add(tenant, cost);
      }
    }
    for (const tenant of TENANTS)
      for (const [name, limit] of countersOf(tenant)) expect(ledger.of(name)).toBeLessThanOrEqual(limit);
    // With costs up to 3, the rest is smaller than the next request.
    expect(ledger.of('acme')).toBeGreaterThan(SHARED - 3);
    await expectCounters(ledger);
  });

  it('follow a change of the parent: another tier, suspended, and resumed', async () => {
    const child: LimitRequest = { tenant: 'team-a', api, operation: 'createURL' };
    const limitsFor = async (over: object) => {
      const revision = await node.relay.publishTenants([node.relay.tenant('acme', over)]);
      await eventually(() => nodes.every((one) => one.revision === revision));
      return await Promise.all(nodes.map((one) => one.peek(child)));
    };
    for (const { policies } of await limitsFor({ tier: 'group' })) expect(policies).toHaveLength(2);
    for (const { policies } of await limitsFor({ tier: 'free' })) expect(policies).toHaveLength(1);
    for (const answer of await limitsFor({ tier: 'group', status: 'suspended' }))
      expect(answer).toMatchObject({ success: false, reason: 'BLOCKED' });
    for (const answer of await limitsFor({ tier: 'group' })) expect(answer).toMatchObject({ success: true });
  });

  it('honour floors: random traffic as a ledger with a floor and a common part decides', async () => {
    const floors = { 'team-a': 15, 'team-b': 10 };
    const parts = { common: SHARED - 25, ...floors };
    const revision = await node.relay.publish({
      tiers: [
        { key: 'free', currentVersion: 1, versions: [{ number: 1, limits: [] }] },
        {
          key: 'group',
          currentVersion: 1,
          versions: [{ number: 1, limits: [clocked('group', SHARED, { sharedWithChildren: true })] }],
        },
      ],
      tenants: [
        node.relay.tenant('acme', {
          tier: 'group',
          floors: Object.entries(floors).map(([child, units]) => ({ child, api, limit: 'group', units })),
        }),
        ...['team-a', 'team-b', 'team-c'].map((key) => node.relay.tenant(key, { parent: 'acme' })),
      ],
    });
    await eventually(() => nodes.every((one) => one.revision === revision));
    const used = new Map<string, number>();
    const left = (part: string) => parts[part as keyof typeof parts] - (used.get(part) ?? 0);
    const partFor = (tenant: string, cost: number) =>
      [tenant, 'common'].find((part) => part in parts && left(part) >= cost);
    const charged: { tenant: string; requestId: string; cost: number; part: string }[] = [];
    for (let i = 0; i < 250; i++) {
      const refunded = random.below(4) === 0 ? charged.splice(random.below(charged.length), 1)[0] : undefined;
      if (refunded !== undefined) {
        const { tenant, requestId, cost, part } = refunded;
        expect(await pick(nodes).refund({ tenant, requestId })).toMatchObject({ status: 'applied' });
        used.set(part, (used.get(part) ?? 0) - cost);
        continue;
      }
      const [tenant, cost, requestId] = [pick(FAMILY), 1 + random.below(3), `r${i}`];
      const part = partFor(tenant, cost);
      const { success, policies } = await pick(nodes).limit({
        tenant,
        api,
        operation: 'createURL',
        cost,
        requestId,
      });
      expect(success, `${i}: ${tenant} ${cost}`).toBe(part !== undefined);
      if (part === undefined) continue;
      expect(policies.at(-1)).toMatchObject({ label: part === 'common' ? 'common' : 'floor' });
      used.set(part, (used.get(part) ?? 0) + cost);
      expect(policies.at(-1)?.remaining).toBe(left(part));
      charged.push({ tenant, requestId, cost, part });
    }
    // Others exhaust what is left for all; each floor is still there completely.
    const drain = async (tenant: string) => {
      const answers = Array.from({ length: SHARED }, () =>
        pick(nodes).limit({ tenant, api, operation: 'createURL' }),
      );
      return (await Promise.all(answers)).filter(({ success }) => success).length;
    };
    expect(await drain('team-c')).toBe(left('common'));
    expect(await drain('team-a')).toBe(left('team-a'));
    expect(await drain('team-b')).toBe(left('team-b'));
    for (const tenant of FAMILY) expect(await drain(tenant)).toBe(0);
  });

  it('write all keys of a child into the slot of its parent', async () => {
    await node.plane.limit({ tenant: 'team-a', api, operation: 'createURL', requestId: 'r1' });
    const redis = new Redis(node.server.url);
    const keys = (await redis.keys('*team-a*')).filter((key) => !key.startsWith('tg:')).sort();
    redis.disconnect();
    expect(keys).toEqual(['{acme}/team-a/:f1:url-shortener:own', '{acme}/team-a/:r1=r1']);
  });
});
