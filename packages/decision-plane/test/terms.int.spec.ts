import type { LimitPolicy, LimitRequest, Rule } from '@tollgate/contracts';
import { randomFrom } from '@tollgate/test-kit/random';
import { describe, expect, inject, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { useRunningNode } from './running-node.js';

const HOUR_MS = 3_600_000;
const window = (limit: number): Rule => ({
  algorithm: 'fixed_window',
  limit,
  windowMs: HOUR_MS,
  alignment: 'first_request',
});
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('effect of a limit’s terms on the answer', () => {
  const node = useRunningNode();
  const limitBy = async (...limits: LimitPolicy[]) => {
    const tenants = ['acme', 'globex'].map((key) => node.relay.tenant(key));
    await node.inForce(await node.relay.publish({ limits, tenants }));
  };
  const ask = (times: number, over: Partial<LimitRequest> = {}) =>
    Promise.all(Array.from({ length: times }, () => node.plane.limit({ ...create, ...over })));

  it('100 an hour, soft 10 %: 100 are allowed, ten more are marked, then 429', async () => {
    await limitBy(policyBy(window(100), { throttle: { mode: 'soft', percent: 10 } }));
    const answers = await ask(112);
    const reasons = Map.groupBy(answers, ({ reason }) => reason);
    expect([...reasons].map(([reason, of]) => [reason, of.length])).toEqual([
      ['WITHIN_LIMIT', 100],
      ['SOFT_LIMIT', 10],
      ['RATE_EXCEEDED', 2],
    ]);
    expect(answers[109]).toMatchObject({ success: true, remaining: 0, used: 110, limit: 100 });
  });

  it('a queue returns the delay after which the request may run, up to its maximum', async () => {
    // One every 24 s: no turn comes between the requests.
    const rule: Rule = { algorithm: 'gcra', limit: 10, windowMs: 240_000, burst: 0 };
    await limitBy(policyBy(rule, { throttle: { mode: 'queue', maxDelayMs: 60_000 } }));
    const answers = await ask(4);
    expect(answers.map(({ reason }) => reason)).toEqual([
      'WITHIN_LIMIT',
      'QUEUED',
      'QUEUED',
      'RATE_EXCEEDED',
    ]);
    const delays = answers.map(({ delayMs }) => delayMs);
    expect(delays[0]).toBe(0);
    for (const [i, delayMs] of delays.slice(1, 3).entries()) {
      expect(delayMs).toBeGreaterThan(i * 24_000);
      expect(delayMs).toBeLessThanOrEqual((i + 1) * 24_000);
    }
  });

  it('a limit in shadow mode is returned beside the live one, and denies no request', async () => {
    await limitBy(
      policyBy(window(5), { name: 'live' }),
      policyBy(window(2), { name: 'tried', enforcement: { mode: 'shadow' } }),
    );
    const answers = await ask(6);
    expect(answers.map(({ reason }) => reason)).toEqual([
      ...['WITHIN_LIMIT', 'WITHIN_LIMIT', 'SHADOW', 'SHADOW', 'SHADOW', 'RATE_EXCEEDED'],
    ]);
    expect(answers[2]).toMatchObject({
      policy: 'live',
      policies: [
        { name: 'live', mode: 'enforce', success: true, remaining: 2 },
        { name: 'tried', mode: 'shadow', success: false, remaining: 0 },
      ],
    });
  });

  it('a candidate is counted beside its limit, on a separate counter', async () => {
    await limitBy(policyBy(window(3), { candidate: window(1) }));
    const answers = await ask(2);
    expect(answers[1]).toMatchObject({
      success: true,
      reason: 'WITHIN_LIMIT',
      policies: [
        { mode: 'enforce', success: true, remaining: 1 },
        { mode: 'candidate', success: false, limit: 1 },
      ],
    });
  });

  it('enforced for half of the counters: always the same half', async () => {
    await limitBy(policyBy(window(1), { per: ['user'], enforcement: { mode: 'percent', percent: 50 } }));
    let refused = 0;
    for (let i = 0; i < 200; i++) {
      const answers = await ask(3, { subject: { user: `u${i}` } });
      const successes = answers.map(({ success }) => success);
      expect(successes[1]).toBe(successes[2]);
      if (successes[1] === false) refused++;
    }
    expect(refused).toBeGreaterThan(60);
    expect(refused).toBeLessThan(140);
  });

  it('a global limit counts all tenants together, and a denial charges the others nothing', async () => {
    await limitBy(
      policyBy(window(3), { name: 'ceiling', per: ['global'] }),
      policyBy(window(2), { name: 'own' }),
    );
    await ask(2);
    expect((await ask(1))[0]).toMatchObject({ success: false, policy: 'own' });
    const [last, over] = await ask(2, { tenant: 'globex' });
    expect(last).toMatchObject({ success: true, remaining: 0, policy: 'ceiling' });
    expect(over).toMatchObject({
      success: false,
      policy: 'ceiling',
      policies: [{}, { name: 'own', remaining: 1 }],
    });
  });

  it('amounts per label: parallel requests get all of each amount and of the limit, and no more', async () => {
    const { below } = randomFrom(1);
    const amounts = {
      by: 'region',
      labels: [
        { label: 'eu', limit: 20 + below(10) },
        { label: 'us', limit: 20 + below(10) },
      ],
      others: below(20),
    };
    await limitBy(policyBy(window(50), { name: 'calls', amounts }));
    const regions = ['eu', 'us', 'asia', 'mars', ''];
    const sent = Array.from({ length: 150 }, () => regions[below(5)] as string);
    const answers = await Promise.all(
      sent.map((region) => node.plane.limit({ ...create, subject: region === '' ? {} : { region } })),
    );
    const labelOf = (region: string) => (region === 'eu' || region === 'us' ? region : '*');
    const used = (label: string) =>
      answers.filter(({ success }, i) => success && labelOf(sent[i] as string) === label).length;
    const all = used('eu') + used('us') + used('*');
    expect(all).toBeLessThanOrEqual(50);
    for (const { label, limit } of [...amounts.labels, { label: '*', limit: amounts.others }]) {
      expect(used(label), label).toBeLessThanOrEqual(limit);
      const asked = sent.filter((region) => labelOf(region) === label).length;
      if (used(label) < Math.min(limit, asked)) expect(all, label).toBe(50);
    }
  });

  it('three failed card payments: successes are refunded, failures are not', async () => {
    await limitBy(policyBy(window(3), { charge: 'on_failure' }));
    const pay = async (outcome: 'success' | 'failure') => {
      const { success, requestId } = await node.plane.limit(create);
      if (success) await node.plane.reportOutcome({ tenant: 'acme', requestId, outcome });
      return success;
    };
    const outcomes = ['success', 'failure', 'success', 'failure', 'success', 'failure'] as const;
    for (const outcome of outcomes) expect(await pay(outcome)).toBe(true);
    expect(await pay('success')).toBe(false);
  });

  it('parallel payments wait for an outcome, and never fail more often than the limit', async () => {
    const { below } = randomFrom(inject('testSeed'));
    await limitBy(policyBy(window(3), { charge: 'on_failure' }));
    let [inFlight, failures, most, short] = [0, 0, 0, 0];
    const payer = async () => {
      for (let attempt = 0; attempt < 20; attempt++) {
        const { success, requestId, retryAfter, reason } = await node.plane.limit(create);
        if (!success) {
          if (reason === 'ATTEMPTS_IN_FLIGHT')
            short = Math.max(short, retryAfter ?? Number.POSITIVE_INFINITY);
          else expect(failures).toBe(3);
          continue;
        }
        inFlight++;
        most = Math.max(most, inFlight + failures);
        const outcome = below(20) === 0 ? 'failure' : 'success';
        // Counted before it is reported: in between, it is in flight in the store.
        if (outcome === 'failure') failures++;
        inFlight--;
        await node.plane.reportOutcome({ tenant: 'acme', requestId, outcome });
      }
    };
    await Promise.all(Array.from({ length: 40 }, payer));
    expect(most).toBeLessThanOrEqual(3);
    expect(failures).toBeLessThanOrEqual(3);
    expect(short).toBeLessThanOrEqual(1);
    if (failures < 3) expect(await node.plane.limit(create)).toMatchObject({ success: true });
  });

  it('a quota is marked as one, and ends with the tenant’s day', async () => {
    const limits = [policyBy({ algorithm: 'quota', limit: 2, period: 'day' })];
    const tenants = [node.relay.tenant('acme', { timeZone: 'Asia/Kolkata' })];
    await node.inForce(await node.relay.publish({ limits, tenants }));
    const answers = await ask(3);
    expect(answers[2]).toMatchObject({ success: false, reason: 'QUOTA_EXCEEDED' });
    const midnight = new Date(answers[2]?.reset ?? 0).toLocaleTimeString('en-GB', {
      timeZone: 'Asia/Kolkata',
    });
    expect(midnight).toBe('00:00:00');
  });

  it('a permit is held until it is released', async () => {
    await limitBy(policyBy({ algorithm: 'concurrency', limit: 1, leaseMs: 60_000 }));
    const first = await node.plane.limit(create);
    expect(await node.plane.limit(create)).toMatchObject({ success: false, reason: 'CONCURRENCY_EXCEEDED' });
    await node.plane.release({ tenant: 'acme', requestId: first.requestId });
    expect(await node.plane.limit(create)).toMatchObject({ success: true });
  });
});
