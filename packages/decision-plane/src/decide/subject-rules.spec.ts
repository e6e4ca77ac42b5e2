import type {
  LimitPolicy,
  LimitRequest,
  PlatformRule,
  SubjectEffect,
  SubjectRule,
  TenantRecord,
} from '@tollgate/contracts';
import { RuleBook } from '@tollgate/policy';
import { randomFrom } from '@tollgate/test-kit/random';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { fixedWindowPolicy, gcraPolicy } from '../../../limiter/test/policies.js';
import { OutageNode } from '../../test/outage-node.js';
import { TenantView } from '../api/tenant-view.js';
import { TestPlane } from '../testing/test-plane.js';

const SEED = inject('testSeed');
const NOW = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const api = 'url-shortener';
const PER_USER = fixedWindowPolicy({ name: 'by-user', limit: 10, per: ['user'] });
const PER_IP = fixedWindowPolicy({ name: 'by-ip', limit: 100, per: ['ip'] });
const DENY: SubjectEffect = { kind: 'deny' };
const EXEMPT: SubjectEffect = { kind: 'exempt' };
const set = (limit: number): SubjectEffect => ({ kind: 'set', limit });

const ACME: TenantRecord = {
  kind: 'tenant',
  revision: 1,
  tenant: 'acme',
  status: 'active',
  tier: 'test',
  pinnedVersion: null,
};

let rules = 0;

function rule(
  dimension: string,
  pattern: string,
  effect: SubjectEffect,
  more: Partial<SubjectRule> = {},
): SubjectRule {
  const isChange = effect.kind === 'set' || effect.kind === 'multiply';
  const limit = dimension === 'ip' ? 'by-ip' : 'by-user';
  return { id: `sru_${rules++}`, dimension, pattern, effect, ...(isChange && { api, limit }), ...more };
}

function planeWith(
  subjectRules: SubjectRule[],
  limits: LimitPolicy[] = [PER_USER, PER_IP],
  platformRules?: PlatformRule[],
): TestPlane {
  const tenants = [
    { ...ACME, ...(subjectRules.length > 0 && { subjectRules }) },
    { ...ACME, tenant: 'globex' },
  ];
  const operations = [{ name: 'createURL', cost: 1 }];
  const apis = [
    { key: api, unknownOperations: 'allow' as const, operations },
    { key: 'other', unknownOperations: 'count' as const, operations },
  ];
  const plane = new TestPlane({ limits, apis, tenants, platformRules });
  onTestFinished(() => plane.close());
  return plane;
}

const by = (subject: LimitRequest['subject'], more: Partial<LimitRequest> = {}): LimitRequest => ({
  tenant: 'acme',
  api,
  operation: 'createURL',
  ...(subject && { subject }),
  ...more,
});
const limitsOf = async (plane: TestPlane, subject: LimitRequest['subject']) =>
  (await plane.peek(by(subject))).policies.map(({ limit }) => limit);

describe('a rule that denies subjects', () => {
  it('answers BLOCKED with its text, charges nothing, and counts as denied', async () => {
    const mallory = rule('user', 'mallory', { kind: 'deny', message: 'Contact support.' });
    const plane = planeWith([mallory, rule('user', 'eve', DENY)]);
    const denied = { success: false, reason: 'BLOCKED', retryAfter: null, policies: [], policy: null };
    expect(await plane.limit(by({ user: 'mallory' }))).toMatchObject({
      ...denied,
      detail: 'Contact support.',
      rule: mallory.id,
    });
    expect(await plane.limit(by({ user: 'eve' }))).toMatchObject({
      ...denied,
      detail: 'A rule denies requests of this caller.',
    });
    expect(await plane.limit(by({ user: 'alice' }))).not.toHaveProperty('detail');
    expect(await plane.limit(by({ user: 'mallory' }, { tenant: 'globex' }))).toMatchObject({ success: true });
    expect(plane.takeUsage()).toContainEqual(
      expect.objectContaining({ tenant: 'acme', limit: null, outcome: 'denied', count: 2 }),
    );
  });

  it('precedes exempt, limits and unregistered operations that are not limited', async () => {
    const exempt = rule('user', 'mallory', EXEMPT);
    const plane = planeWith([exempt, rule('user', 'mallory', set(50)), rule('ip', '203.0.113.0/24', DENY)]);
    const subject = { user: 'mallory', ip: '203.0.113.9' };
    expect(await plane.limit(by(subject))).toMatchObject({ reason: 'BLOCKED' });
    expect(await plane.limit(by(subject, { operation: 'unregistered' }))).toMatchObject({
      reason: 'BLOCKED',
    });
    expect(await plane.limit(by({ user: 'mallory' }))).toMatchObject({ reason: 'EXEMPT', rule: exempt.id });
  });

  it('applies to limits that the caller sends, batches and reservations', async () => {
    const plane = planeWith([rule('user', 'mallory', DENY), rule('user', 'vip', EXEMPT)]);
    const override = { limit: 1, windowMs: MINUTE_MS };
    const together = (user: string) =>
      plane.limitTogether([{ ...by({ user }), override }, by({ user: 'a' })]);
    expect(await together('mallory')).toMatchObject([{ reason: 'BLOCKED' }, { success: true }]);
    expect(await together('vip')).toMatchObject([{ reason: 'EXEMPT' }, { remaining: 9 }]);
    expect(await plane.limitMany([by({ user: 'mallory' }), by({ user: 'vip' })])).toMatchObject([
      { reason: 'BLOCKED' },
      { reason: 'EXEMPT' },
    ]);
    expect(await plane.reserve(by({ user: 'mallory' }))).toMatchObject({
      reason: 'BLOCKED',
      expiresAt: null,
    });
  });

  it('applies to one API only, if it names one', async () => {
    const plane = planeWith([rule('user', 'mallory', DENY, { api: 'other' })]);
    expect(await plane.limit(by({ user: 'mallory' }))).toMatchObject({ success: true });
    expect(await plane.limit(by({ user: 'mallory' }, { api: 'other' }))).toMatchObject({ reason: 'BLOCKED' });
  });
});

describe('a rule that exempts subjects', () => {
  it('answers EXEMPT without a charge, counts usage, and accepts a request without required values', async () => {
    const strict = { ...PER_IP, onMissing: 'refuse' } as LimitPolicy;
    const plane = planeWith([rule('user', 'monitor-*', EXEMPT)], [strict]);
    expect(await plane.limit(by({ user: 'monitor-1' }))).toMatchObject({
      success: true,
      reason: 'EXEMPT',
      policies: [],
    });
    await expect(plane.limit(by({ user: 'alice' }))).rejects.toMatchObject({ code: 'dimension-missing' });
    expect(plane.takeUsage()).toMatchObject([
      { tenant: 'acme', operation: 'createURL', outcome: 'no_limit', count: 1 },
    ]);
  });

  it('lifts only the limit that it names', async () => {
    const plane = planeWith([rule('user', 'vip', EXEMPT, { api, limit: 'by-ip' })]);
    const subject = { user: 'vip', ip: '203.0.113.9' };
    expect(await limitsOf(plane, subject)).toEqual([10]);
    expect(await limitsOf(plane, { ...subject, user: 'alice' })).toEqual([10, 100]);
  });

  it('is named in answers, also with a pool, and if it lifts the only limit', async () => {
    const [all, one] = [
      rule('user', 'vip', EXEMPT),
      rule('user', 'guest', EXEMPT, { api, limit: 'by-user' }),
    ];
    const only = planeWith([all, one], [PER_USER]);
    expect(await only.limit(by({ user: 'guest' }))).toMatchObject({ reason: 'EXEMPT', rule: one.id });
    const pools = [{ name: 'main', operations: [], capacity: 100, reclaimPercent: 80 }];
    const operations = [{ name: 'createURL', cost: 1 }];
    const pooled = new TestPlane({
      limits: [PER_USER],
      apis: [{ key: api, unknownOperations: 'allow', operations, pools }],
      tenants: [{ ...ACME, subjectRules: [all] }],
    });
    onTestFinished(() => pooled.close());
    const named = { reason: 'EXEMPT', rule: all.id };
    expect(await pooled.limit(by({ user: 'vip' }))).toMatchObject(named);
    expect(await pooled.limitTogether([by({ user: 'vip' }), by({ user: 'a' })])).toMatchObject([named, {}]);
  });

  it('leaves earlier charges refundable and counters resettable', async () => {
    const plane = planeWith([rule('user', 'vip', EXEMPT, { fromMs: NOW + 1000 })]);
    await plane.limit(by({ user: 'vip' }, { cost: 4 }));
    plane.clock.advanceMs(1000);
    expect(await plane.limit(by({ user: 'vip' }))).toMatchObject({ reason: 'EXEMPT' });
    expect(await plane.refund({ ...by({ user: 'vip' }), cost: 3 })).toMatchObject({ returned: 3 });
    expect(await plane.reset(by({ user: 'vip' }))).toMatchObject({ status: 'applied' });
  });
});

describe('a rule that changes a limit of subjects', () => {
  it('replaces the number or takes a percentage, for requests with the value only', async () => {
    const plane = planeWith([
      rule('user', 'vip', set(50)),
      rule('user', 'guest', { kind: 'multiply', percent: 25 }),
    ]);
    expect(await plane.limit(by({ user: 'vip' }))).toMatchObject({
      limit: 50,
      remaining: 49,
      source: 'subject_rule',
    });
    expect(await limitsOf(plane, { user: 'guest' })).toEqual([2, 100]);
    expect(await plane.limit(by({ user: 'alice' }))).toMatchObject({ limit: 10, source: 'tier' });
  });

  it('is named in answers that its limit decided, whether it allowed or denied the request', async () => {
    const vip = rule('user', 'vip', set(3));
    const plane = planeWith([vip, rule('user', 'v*', set(5)), rule('ip', '10.0.0.0/8', set(50))]);
    const decide = (subject: LimitRequest['subject'], cost = 1) => plane.limit(by(subject, { cost }));
    expect(await decide({ user: 'vip' })).toMatchObject({ success: true, limit: 3, rule: vip.id });
    expect(await decide({ user: 'vip' }, 3)).toMatchObject({ success: false, limit: 3, rule: vip.id });
    const both = { user: 'vip', ip: '10.0.0.1' };
    expect(await decide(both)).toMatchObject({ policy: 'by-user', rule: vip.id });
    expect(await decide({ user: 'alice' })).not.toHaveProperty('rule');
    const together = await plane.limitTogether([by({ user: 'vip' }), by({ user: 'alice' })]);
    expect(together.map((answer) => 'rule' in answer && answer.rule)).toEqual([vip.id, false]);
  });

  it('applies by its most specific pattern: value, longest network, longest prefix', async () => {
    const plane = planeWith([
      rule('user', 'team-*', set(20)),
      rule('user', 'team-a*', set(30)),
      rule('user', 'team-a1', set(40)),
      rule('ip', '10.0.0.0/8', set(200)),
      rule('ip', '10.1.0.0/16', set(300)),
      rule('ip', '10.1.1.1', set(400)),
      rule('ip', '2001:db8::/32', set(500)),
    ]);
    expect(await limitsOf(plane, { user: 'team-b', ip: '10.2.0.1' })).toEqual([20, 200]);
    expect(await limitsOf(plane, { user: 'team-a2', ip: '10.1.0.1' })).toEqual([30, 300]);
    expect(await limitsOf(plane, { user: 'team-a1', ip: '10.1.1.1' })).toEqual([40, 400]);
    expect(await limitsOf(plane, { user: 'teams', ip: '2001:db8::1' })).toEqual([10, 500]);
  });

  it('prefers, of two values that a limit counts by, the more specific pattern', async () => {
    const both = fixedWindowPolicy({ name: 'by-user', limit: 10, per: ['user', 'ip'] });
    const plane = planeWith(
      [rule('user', 'vip', set(50)), rule('ip', '10.0.0.0/8', set(5), { limit: 'by-user' })],
      [both],
    );
    expect(await limitsOf(plane, { user: 'vip', ip: '10.0.0.1' })).toEqual([50]);
    expect(await limitsOf(plane, { user: 'alice', ip: '10.0.0.1' })).toEqual([5]);
  });

  it('does not change a limit that counts by another value', async () => {
    const plane = planeWith([rule('user', 'vip', set(50), { limit: 'by-ip' })]);
    expect(await limitsOf(plane, { user: 'vip', ip: '10.0.0.1' })).toEqual([10, 100]);
  });

  it('starts and ends at its times and keeps what is used', async () => {
    const times = { fromMs: NOW + 10_000, untilMs: NOW + 20_000 };
    const plane = planeWith([rule('user', 'vip', set(50), times), rule('user', 'slow', set(3), times)]);
    const left = async (user: string, cost: number) => {
      const { limit, remaining, success } = await plane.limit(by({ user }, { cost }));
      return [limit, remaining, success];
    };
    plane.clock.advanceMs(9999);
    expect(await left('vip', 8)).toEqual([10, 2, true]);
    expect(await left('slow', 5)).toEqual([10, 5, true]);
    plane.clock.advanceMs(1);
    expect(await left('vip', 30)).toEqual([50, 12, true]);
    expect(await left('slow', 1)).toEqual([3, 0, false]);
    plane.clock.advanceMs(9999);
    expect(await left('vip', 1)).toEqual([50, 11, true]);
    plane.clock.advanceMs(1);
    expect(await left('vip', 1)).toEqual([10, 0, false]);
    expect(await left('slow', 5)).toEqual([10, 0, true]);
  });

  it('does not use a cached denial of the limit before it', async () => {
    const plane = planeWith([rule('user', 'vip', set(50), { fromMs: NOW + 1000 })]);
    await plane.limit(by({ user: 'vip' }, { cost: 10 }));
    expect(await plane.limit(by({ user: 'vip' }))).toMatchObject({ success: false });
    expect(await plane.limit(by({ user: 'vip' }))).toMatchObject({ success: false });
    plane.clock.advanceMs(1000);
    expect(await plane.limit(by({ user: 'vip' }))).toMatchObject({ success: true, remaining: 39 });
  });

  it('ends leases of the limit before it, so that no units above the new limit are spent', async () => {
    const leased = { ...PER_USER, limit: 100, consistency: { mode: 'leased', leaseMs: 10_000 } } as const;
    const plane = planeWith([rule('user', 'vip', set(5), { fromMs: NOW + 1000 })], [leased]);
    for (let i = 0; i < 20; i++)
      expect(await plane.limit(by({ user: 'vip' }))).toMatchObject({ success: true });
    plane.clock.advanceMs(1000);
    const after = [];
    for (let i = 0; i < 20; i++) after.push((await plane.limit(by({ user: 'vip' }))).success);
    expect(after).toEqual(after.map(() => false));
  });

  it('is the limit of local shares during an outage, beside denied and exempt subjects', async () => {
    const subjectRules = [rule('user', 'u0', set(30)), rule('user', 'u1', DENY), rule('user', 'u2', EXEMPT)];
    const tenants = [{ ...ACME, subjectRules }];
    const node = new OutageNode({ limits: [PER_USER], tenants });
    node.store.isAway = true;
    expect(await node.pass(200, {}, 4)).toEqual([30, 0, 50, 10]);
  });

  it('changes a candidate too, and never a limit on all tenants', async () => {
    const all = fixedWindowPolicy({ name: 'by-user', limit: 10, per: ['global', 'user'] });
    const tried = { ...PER_USER, candidate: { algorithm: 'gcra', limit: 10, windowMs: MINUTE_MS, burst: 0 } };
    expect(await limitsOf(planeWith([rule('user', 'vip', set(50))], [all]), { user: 'vip' })).toEqual([10]);
    const plane = planeWith([rule('user', 'vip', set(50))], [tried as LimitPolicy]);
    expect(await limitsOf(plane, { user: 'vip' })).toEqual([50, 50]);
  });

  it('keeps the proportion of burst and limit', async () => {
    const spaced = gcraPolicy({ name: 'by-user', limit: 10, burst: 4, per: ['user'] });
    const plane = planeWith([rule('user', 'vip', set(50))], [spaced]);
    expect(await plane.limit(by({ user: 'vip' }, { cost: 21 }))).toMatchObject({
      success: true,
      remaining: 0,
    });
  });
});

describe('rules of the platform', () => {
  const platform = (dimension: string, pattern: string, effect: PlatformRule['effect']): PlatformRule => ({
    id: `sru_${rules++}`,
    dimension,
    pattern,
    effect,
  });

  it('apply to all tenants, after their own; deny precedes exempt in both', async () => {
    const plane = planeWith(
      [rule('ip', '10.0.0.0/8', EXEMPT), rule('user', 'vip', set(50)), rule('user', 'own', DENY)],
      [PER_USER],
      [
        platform('ip', '10.6.6.6', { kind: 'deny', message: 'No.' }),
        platform('user', 'own', { kind: 'exempt' }),
      ],
    );
    expect(await plane.limit(by({ ip: '10.6.6.6' }))).toMatchObject({ reason: 'BLOCKED', detail: 'No.' });
    expect(await plane.limit(by({ ip: '10.6.6.7' }))).toMatchObject({ reason: 'EXEMPT' });
    expect(await plane.limit(by({ user: 'own' }))).toMatchObject({ reason: 'BLOCKED' });
    expect(await limitsOf(plane, { user: 'vip' })).toEqual([50]);
    const globex = { tenant: 'globex' };
    expect(await plane.limit(by({ ip: '10.6.6.6' }, globex))).toMatchObject({ reason: 'BLOCKED' });
    expect(await plane.limit(by({ user: 'own' }, globex))).toMatchObject({ reason: 'EXEMPT' });
  });
});

describe('a limit per network', () => {
  it('has one counter per prefix, while rules match whole addresses', async () => {
    const byNetwork = { ...PER_IP, ipv4Prefix: 24, ipv6Prefix: 48 };
    const plane = planeWith([rule('ip', '2001:db8:1:ffff::7', DENY)], [byNetwork]);
    const remaining = async (ip: string) => (await plane.limit(by({ ip }))).remaining;
    expect(await remaining('2001:db8:1::1')).toBe(99);
    expect(await remaining('2001:DB8:1:ffff::8')).toBe(98);
    expect(await remaining('2001:db8:2::1')).toBe(99);
    expect(await remaining('10.1.2.3')).toBe(99);
    expect(await remaining('::ffff:10.1.2.4')).toBe(98);
    expect(await remaining('10.1.3.3')).toBe(99);
    expect(await plane.limit(by({ ip: '2001:db8:1:ffff::7' }))).toMatchObject({ reason: 'BLOCKED' });
  });
});

describe('rules as other programs see them', () => {
  it('decide on the same limits as on a node', async () => {
    const { below } = randomFrom(SEED);
    const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const users = ['a', 'ab', 'abc', 'b'];
    const addresses = ['10.0.0.1', '10.0.1.1', '2001:db8::1'];
    const anyRule = (): SubjectRule => {
      const isUser = below(2) === 0;
      const values = isUser ? [...users, 'a*', 'ab*', '*'] : [...addresses, '10.0.0.0/16', '::/0'];
      const fromMs = NOW + oneOf([-1, 0, 1]);
      const effect = oneOf([
        DENY,
        EXEMPT,
        EXEMPT,
        set(1 + below(9)),
        { kind: 'multiply' as const, percent: 300 },
      ]);
      const named = effect.kind === 'exempt' && below(2) === 0 ? { api, limit: 'by-user' } : {};
      const times = { fromMs, ...(below(2) === 0 && { untilMs: NOW + oneOf([0, 5]) }) };
      return rule(isUser ? 'user' : 'ip', oneOf(values), effect, { ...times, ...named });
    };
    for (let round = 0; round < 60; round++) {
      const own = Array.from({ length: below(6) }, anyRule);
      const platformRules = Array.from({ length: below(3) }, anyRule).filter(
        (one): one is PlatformRule => one.limit === undefined,
      );
      const limits = [PER_USER, PER_IP];
      const plane = planeWith(own, limits, platformRules.length > 0 ? platformRules : undefined);
      const tiers = [{ key: 'test', currentVersion: 1, versions: [{ number: 1, limits }] }];
      const catalogue = TenantView.catalogueOf({ apis: [], tiers });
      const view = TenantView.of(catalogue, { ...ACME, subjectRules: own }, NOW);
      const both = addresses.map((ip) => ({ user: oneOf(users), ip }));
      for (const subject of [...both, { user: oneOf(users) }, { ip: oneOf(addresses) }]) {
        const answer = await plane.peek(by(subject));
        const treatments = view?.treatmentsOf(subject, platformRules) ?? [];
        const seen = limits.flatMap((limit, i) => {
          const treatment = treatments[i];
          if (treatment?.kind === 'deny' || treatment?.kind === 'exempt') return [];
          return [{ name: limit.name, limit: (treatment?.change.apply(limit) ?? limit).limit }];
        });
        const state = JSON.stringify({ round, subject, own, platformRules });
        expect(
          answer.policies.map(({ name, limit }) => ({ name, limit })),
          state,
        ).toEqual(seen);
        const kinds = treatments.map((one) => one?.kind);
        expect(answer.reason === 'BLOCKED', state).toBe(kinds.every((kind) => kind === 'deny'));
        if (answer.rule != null)
          expect(
            treatments.map((one) => one?.rule),
            state,
          ).toContain(answer.rule);
      }
    }
  });
});

it('a rule of the platform with an unreadable pattern rejects the catalogue', () => {
  const unreadable: PlatformRule = {
    id: 'r1',
    dimension: 'ip',
    pattern: '10.0.0.0/8/8',
    effect: { kind: 'deny' },
  };
  expect(() => new RuleBook([unreadable])).toThrow('subject rule r1: 10.0.0.0/8/8');
});
