import type { LimitAnswer, LimitPolicy } from '@tollgate/contracts';
import { dimensionValue } from '@tollgate/limiter/rules';
import { eventually } from '@tollgate/test-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { DecisionPlane } from '../src/api/decision-plane.js';
import { useRunningNode } from './running-node.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const first = { alignment: 'first_request' } as const;

describe('worked examples on two nodes', () => {
  const node = useRunningNode();
  let other: DecisionPlane;

  beforeEach(async () => {
    const { url } = node.server;
    other = await DecisionPlane.start({
      countersUrl: url,
      configUrl: url,
      policyKeys: 'unsigned',
      nodeId: 'node-2',
      version: 'test',
      deadlineMs: 5000,
    });
  });
  afterEach(async () => {
    await other.close();
  });

  const enforce = async (...limits: LimitPolicy[]) => {
    const revision = await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] });
    await node.inForce(revision);
    await eventually(() => other.revision === revision);
  };
  const ask = (subject: Record<string, string> = {}, plane = node.plane) =>
    plane.limit({ ...create, subject });
  const passedOf = (answers: LimitAnswer[]) => answers.filter((answer) => answer.success).length;

  it('100/min, soft 10 %: 110 are allowed, ten of them marked', async () => {
    await enforce(fixedWindowPolicy({ limit: 100, throttle: { mode: 'soft', percent: 10 }, ...first }));
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask()));
    expect(passedOf(answers)).toBe(110);
    expect(answers.filter((answer) => answer.reason === 'SOFT_LIMIT')).toHaveLength(10);
    expect(answers.filter((answer) => answer.reason === 'RATE_EXCEEDED')).toHaveLength(10);
  });

  it('three failed card transactions a day: successful ones do not count, after the third failure the card is denied', async () => {
    await enforce(
      fixedWindowPolicy({
        name: 'card',
        per: ['user'],
        limit: 3,
        windowMs: DAY_MS,
        charge: 'on_failure',
        ...first,
      }),
    );
    const pay = async (outcome: 'success' | 'failure') => {
      const answer = await ask({ user: 'u1' });
      if (!answer.success) return answer;
      const { requestId } = answer;
      expect(await node.plane.reportOutcome({ tenant: 'acme', requestId, outcome })).toMatchObject({
        status: 'applied',
      });
      return answer;
    };
    for (const outcome of [
      'success',
      'failure',
      'success',
      'failure',
      'success',
      'success',
      'failure',
    ] as const) {
      expect(await pay(outcome), outcome).toMatchObject({ success: true });
    }
    const refused = await pay('success');
    expect(refused).toMatchObject({ success: false, policy: 'card', remaining: 0, used: 3 });
    expect(refused.retryAfter).toBeGreaterThan(86_000);
    expect(await ask({ user: 'u2' })).toMatchObject({ success: true });
  });

  it('of one user’s two concurrent requests with one left, one is allowed, on any server', async () => {
    await enforce(fixedWindowPolicy({ per: ['user'], limit: 3, ...first }));
    for (let round = 0; round < 20; round++) {
      const kristie = { user: `kristie-${round}` };
      await ask(kristie);
      await ask(kristie, other);
      expect(passedOf(await Promise.all([ask(kristie), ask(kristie, other)]))).toBe(1);
    }
  });

  it('4/s through two servers: a user gets four, not four from each', async () => {
    await enforce(fixedWindowPolicy({ per: ['user'], limit: 4, windowMs: SECOND_MS, ...first }));
    let answers: LimitAnswer[] = [];
    // A second is short for a busy machine: answers with different window ends do not belong to one window.
    for (let user = 1; answers.length === 0 || new Set(answers.map(({ reset }) => reset)).size > 1; user++) {
      const asked = [node.plane, other, node.plane, other, node.plane, other, node.plane, other];
      answers = await Promise.all(asked.map((plane) => ask({ user: `user-${user}` }, plane)));
    }
    expect(passedOf(answers)).toBe(4);
  });

  it('100 short URLs an hour with 3 a minute per shard: a shard denies on its own and charges nothing, the hour ends it', async () => {
    await enforce(
      fixedWindowPolicy({ name: 'user-hour', per: ['user'], limit: 100, windowMs: HOUR_MS, ...first }),
      fixedWindowPolicy({
        name: 'user-shard-minute',
        per: ['user', 'shard'],
        limit: 3,
        windowMs: MINUTE_MS,
        ...first,
      }),
    );
    const createOn = (shard: number) => ask({ user: 'u1', shard: `shard-${shard}` });
    for (let i = 0; i < 3; i++) expect(await createOn(0)).toMatchObject({ success: true });
    expect(await createOn(0)).toMatchObject({
      success: false,
      policy: 'user-shard-minute',
      reason: 'RATE_EXCEEDED',
    });
    expect(await createOn(1)).toMatchObject({
      success: true,
      policies: [{ name: 'user-hour', remaining: 96 }, { remaining: 2 }],
    });
    const rest = await Promise.all(Array.from({ length: 99 }, (_, i) => createOn(2 + (i % 33))));
    expect(passedOf(rest)).toBe(96);
    expect(await createOn(99)).toMatchObject({ success: false, policy: 'user-hour' });
    expect(await ask({ user: 'u2', shard: 'shard-0' })).toMatchObject({ success: true });
  });

  describe('a login limited by user and by IP', () => {
    const quarter = { windowMs: 900_000, ...first };
    const attacker = '198.51.100.66';
    const home = '203.0.113.9';

    it('by user only, an attacker locks the owner out: the weakness to avoid', async () => {
      await enforce(fixedWindowPolicy({ per: ['user'], limit: 5, ...quarter }));
      for (let i = 0; i < 5; i++) await ask({ user: 'owner', ip: attacker });
      expect(await ask({ user: 'owner', ip: home })).toMatchObject({ success: false });
    });

    it('strict by user and IP, generous by IP: the attacker is denied, and the owner logs in', async () => {
      await enforce(
        fixedWindowPolicy({
          name: 'user-ip',
          per: ['user', 'ip'],
          limit: 5,
          charge: 'on_failure',
          ...quarter,
        }),
        fixedWindowPolicy({ name: 'ip', per: ['ip'], limit: 20, charge: 'on_failure', ...quarter }),
      );
      const guess = async (user: string, ip: string) => {
        const answer = await ask({ user, ip });
        if (answer.success)
          await node.plane.reportOutcome({ tenant: 'acme', requestId: answer.requestId, outcome: 'failure' });
        return answer;
      };
      for (let i = 0; i < 5; i++) expect(await guess('owner', attacker)).toMatchObject({ success: true });
      expect(await guess('owner', attacker)).toMatchObject({ success: false, policy: 'user-ip' });
      // From one address to many accounts: not limited per pair, but per address.
      const sprayed: LimitAnswer[] = [];
      for (let i = 0; i < 30; i++) sprayed.push(await guess(`victim-${i}`, attacker));
      expect(passedOf(sprayed)).toBe(15);
      expect(sprayed.at(-1)).toMatchObject({ success: false, policy: 'ip' });
      for (let i = 0; i < 30; i++) {
        const answer = await ask({ user: 'owner', ip: home });
        expect(answer).toMatchObject({ success: true });
        await node.plane.reportOutcome({ tenant: 'acme', requestId: answer.requestId, outcome: 'success' });
      }
    });
  });

  it('65,536 addresses of one /64 count as one', async () => {
    const addresses = Array.from({ length: 65_536 }, (_, i) => `2001:db8:7:9::${i.toString(16)}`);
    expect(new Set(addresses.map((address) => dimensionValue('ip', address)))).toHaveLength(1);
    expect(dimensionValue('ip', '2001:db8:7:a::1')).not.toBe(dimensionValue('ip', '2001:db8:7:9::1'));
    await enforce(fixedWindowPolicy({ per: ['ip'], limit: 100, windowMs: HOUR_MS, ...first }));
    const sample = addresses.filter((_, i) => i % 128 === 0);
    const answers = await Promise.all(sample.map((ip, i) => ask({ ip }, i % 2 === 0 ? node.plane : other)));
    expect(answers).toHaveLength(512);
    expect(passedOf(answers)).toBe(100);
    expect(await ask({ ip: '2001:db8:7:a::1' })).toMatchObject({ success: true });
  });
});
