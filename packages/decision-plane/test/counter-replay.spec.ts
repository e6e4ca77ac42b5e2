import type { LimitAnswer, LimitPolicy } from '@tollgate/contracts';
import { compileLimit } from '@tollgate/limiter/rules';
import { BlockBuilder, CounterReplay, TRAFFIC_FLAGS, type TrafficBlock } from '@tollgate/replay';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy, policyBy } from '../../limiter/test/policies.js';
import { KINDS, policiesOf } from '../../limiter/test/policy-arbitraries.js';
import { HEADER } from '../../replay/test/traffic-arbitraries.js';
import { MemoryNode } from '../src/api/replay-node.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { FILES, recordingTraffic, SITE, tenantOf } from './recorded-traffic.js';

const START_MS = Date.UTC(2026, 10, 1, 10);
const MINUTE_MS = 60_000;

const TEN_PER_MINUTE = fixedWindowPolicy({ api: 'site', name: 'a', per: ['user'], limit: 10 });

interface Sent {
  /** After the start. */
  atMs: number;
  user?: string | undefined;
  operation?: string;
  cost?: number;
  outcome?: 'allowed' | 'denied';
  /** Null: no limit counted it. */
  limit?: string | null;
  flags?: number;
}

function block(requests: readonly Sent[]): TrafficBlock {
  const builder = new BlockBuilder();
  for (const {
    atMs,
    user = 'u1',
    operation = 'read',
    cost = 1,
    outcome = 'allowed',
    limit = 'a',
    flags = 0,
  } of requests) {
    const subject = builder.addSubject({ tenant: 'acme', values: [['user', `=${user}`]] });
    const verdict = builder.verdictOf(outcome, flags, limit, 1);
    builder.add((START_MS + atMs) * 1000, subject, builder.operationOf('site', operation), cost, verdict);
  }
  return builder.build(HEADER);
}

function replay(
  requests: readonly Sent[],
  last: { atMs: number; remaining: number },
  limit: LimitPolicy = TEN_PER_MINUTE,
) {
  const counter = new CounterReplay({ limit, values: { user: '=u1' } });
  counter.add(block(requests));
  const { policy } = compiled(limit);
  return counter.result(policy, { ...last, atMs: START_MS + last.atMs }, START_MS, 6);
}

const requests = fc.array(
  fc.record({
    afterUs: fc.oneof(fc.nat(1000), fc.nat(2_000_000), fc.nat(4_000_000_000)),
    operation: fc.constantFrom('read', 'write', 'unregistered'),
    user: fc.constantFrom(undefined, 'u1', 'u2'),
    cost: fc.constantFrom(undefined, undefined, 2),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('the replay of a counter', () => {
  it('leaves as many units as the engine did, for every kind of limit beside another one', async () => {
    const kinds = KINDS.filter((kind) => kind !== 'concurrency');
    const limits = fc.constantFrom(...kinds).chain((kind) => policiesOf(kind));
    const shape = fc.record({
      per: fc.constantFrom<string[][]>(['user'], [], ['user', 'ip']),
      operations: fc.constantFrom<string[][]>([], ['read']),
    });
    await fc.assert(
      fc.asyncProperty(
        limits,
        limits,
        shape,
        requests,
        fc.nat(),
        async (policy, otherPolicy, over, list, at) => {
          const limit: LimitPolicy = { ...policy, ...over, name: 'a', api: 'site' };
          const other: LimitPolicy = { ...otherPolicy, per: [], operations: [], name: 'b', api: 'site' };
          let nowUs = START_MS * 1000;
          const { traffic, blocks } = recordingTraffic('n1');
          const policies = new TestPolicies({
            limits: [limit, other],
            apis: [SITE, FILES],
            tenants: [tenantOf('acme')],
          });
          const node = new MemoryNode({ nodeId: 'n1', epoch: 'e', policies, traffic, clockUs: () => nowUs });
          const answers: { atMs: number; user: string | undefined; answer: LimitAnswer }[] = [];
          for (const { afterUs, operation, user, cost } of list) {
            nowUs += afterUs;
            const subject = { ...(user && { user }), ip: '192.0.2.1' };
            const request = { tenant: 'acme', api: 'site', operation, subject, ...(cost && { cost }) };
            const answer = await node.engine.limit(request);
            answers.push({ atMs: Math.floor(nowUs / 1000), user, answer });
          }
          await node.engine.close();
          const recorded = await blocks();
          // Each replay reads the whole recording: the last decision, and another one.
          for (const index of [answers.length - 1, at % answers.length]) {
            const { atMs, user, answer } = answers[index] as (typeof answers)[number];
            const state = answer.policies.find(({ name }) => name === 'a');
            // A cost that can never pass is denied without reading counters: its answer shows whole limits.
            if (state === undefined || answer.retryAfter === null) continue;
            const values = { ip: '~192.0.2.1', ...(user && { user: `=${user}` }) };
            const counter = new CounterReplay({ limit, values });
            for (const one of recorded) counter.add(one);
            const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: atMs };
            const result = compileLimit(limit, {}, context);
            if (!result.ok) throw new Error(JSON.stringify(result.errors));
            const { policy: wire } = result.limit;
            const startMs = 'startMs' in wire ? (wire.startMs as number) : undefined;
            const last = { atMs, remaining: state.remaining };
            const steps = counter.result(wire, last, atMs - MINUTE_MS, 60, startMs);
            expect(steps).toMatchObject({ mismatches: 0, isReliable: true });
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('shows the fewest units left in each step, and its allowed and denied requests', () => {
    const quick = Array.from(
      { length: 12 },
      (_, n): Sent => ({
        atMs: 21_000 + n * 1000,
        ...(n >= 10 && { outcome: 'denied' }),
      }),
    );
    const steps = replay(quick, { atMs: 32_000, remaining: 0 });
    expect(steps?.steps.map(({ atMs, ...step }) => [atMs - START_MS, ...Object.values(step)])).toEqual([
      [0, 10, 0, 0],
      [5334, 10, 0, 0],
      [10_668, 10, 0, 0],
      [16_002, 9, 1, 0],
      [21_336, 4, 5, 0],
      [26_670, 0, 4, 2],
    ]);
    expect(steps).toMatchObject({ decisions: 12, compared: 12, mismatches: 0, isReliable: true });
  });

  it('charges nothing for requests of other counters, other operations, and those that another limit denied', () => {
    const limit = { ...TEN_PER_MINUTE, operations: ['read'] };
    const others: Sent[] = [
      { atMs: 0, user: 'u2' },
      { atMs: 1, operation: 'write' },
      { atMs: 2, outcome: 'denied', limit: 'b', cost: 9 },
      { atMs: 3, cost: 4 },
    ];
    const steps = replay(others, { atMs: 3, remaining: 6 }, limit);
    expect(steps).toMatchObject({ decisions: 2, isReliable: true });
  });

  it('charges nothing for requests that no limit counted, such as those of an exempt caller', () => {
    const tenantWide = fixedWindowPolicy({ api: 'site', name: 'a', per: [], limit: 10 });
    const sent: Sent[] = [
      { atMs: 0, user: 'u1' },
      { atMs: 10, user: 'exempt', limit: null },
      { atMs: 20, user: 'u2' },
    ];
    const result = replay(sent, { atMs: 20, remaining: 8 }, tenantWide);
    expect(result).toMatchObject({ decisions: 2, isReliable: true });
  });

  it('is not reliable if the last decision or others differ', () => {
    expect(replay([{ atMs: 5 }], { atMs: 5, remaining: 3 })).toMatchObject({
      mismatches: 0,
      isReliable: false,
    });
    const denied = { atMs: 5, outcome: 'denied' as const };
    expect(replay([denied], { atMs: 5, remaining: 0 })).toMatchObject({ mismatches: 1, isReliable: false });
  });

  it('does not compare leased requests', () => {
    const leased = { atMs: 4, outcome: 'denied' as const, flags: TRAFFIC_FLAGS.leased };
    expect(replay([leased, { atMs: 5 }], { atMs: 5, remaining: 9 })).toMatchObject({
      decisions: 2,
      compared: 1,
      mismatches: 0,
    });
  });

  it('is undefined without the last decision', () => {
    expect(replay([{ atMs: 5 }], { atMs: 6, remaining: 9 })).toBeUndefined();
  });

  it('begins a period that is older than the recording with what must have been used', () => {
    const limit = policyBy(
      { algorithm: 'quota', limit: 100, period: 'month' },
      { api: 'site', name: 'a', per: ['user'] },
    );
    const counter = new CounterReplay({ limit, values: { user: '=u1' } });
    counter.add(
      block([
        { atMs: 10, cost: 5 },
        { atMs: 20_000, cost: 2 },
      ]),
    );
    const context = { timeZone: 'UTC', billingAnchorDay: 1, nowMs: START_MS };
    const result = compileLimit(limit, {}, context);
    if (!result.ok) throw new Error('not compiled');
    const last = { atMs: START_MS + 20_000, remaining: 13 };
    const steps = counter.result(result.limit.policy, last, START_MS, 2, START_MS);
    expect(steps?.steps.map(({ left }) => left)).toEqual([15, 13]);
  });
});
