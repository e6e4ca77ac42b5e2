import { algorithmOf } from '@tollgate/decision-plane';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gcraLimit } from '../../test/limits.js';
import { countOverInTime, gcraRecount } from './gcra.js';
import type { JudgedCharge } from './recount-rule.js';

const T0 = Date.UTC(2026, 0, 1, 10, 0, 0);

type Policy = ReturnType<typeof gcraLimit>;
type GcraCharge = JudgedCharge<Policy>;

/** A request as it is sent: `sentMs` after 10:00:00, decided and answered that much later. */
interface Arrival {
  sentMs: number;
  decidedAfterUs: number;
  answeredAfterUs: number;
  cost: number;
}

/** What the decision plane's own model admits of `arrivals`, as a replay would have logged it. */
function play(policy: Policy, arrivals: readonly Arrival[]): GcraCharge[] {
  const gcra = algorithmOf('gcra');
  const compiled = gcra.compile(policy);
  if (!compiled.ok) throw new Error('does not compile');
  let state: unknown;
  return arrivals
    .map((arrival) => ({ ...arrival, decidedUs: (T0 + arrival.sentMs) * 1000 + arrival.decidedAfterUs }))
    .sort((a, b) => a.decidedUs - b.decidedUs)
    .flatMap(({ sentMs, decidedUs, answeredAfterUs, cost }) => {
      const step = gcra.step(state, compiled.policy, cost, decidedUs);
      state = step.state;
      const receivedMs = Math.floor((decidedUs + answeredAfterUs) / 1000) + 1;
      const resetMs = Math.ceil((decidedUs + step.resetAfterUs) / 1000);
      const { name, limit, windowMs } = policy;
      const told = { limit: name, limitMax: limit, windowMs, policy, revision: 1, client: '203.0.113.9' };
      return step.allowed ? [{ ...told, sentMs: T0 + sentMs, receivedMs, resetMs, cost }] : [];
    });
}

const judge = (charges: readonly GcraCharge[]) => gcraRecount.judge(charges, 5);
const CLEAN = { overAdmitted: 0, contradictions: 0, finding: undefined };

const policies = fc.oneof(
  fc
    .record({
      limit: fc.integer({ min: 1, max: 100 }),
      windowMs: fc.integer({ min: 200, max: 5000 }),
      burst: fc.nat(10),
    })
    .map(gcraLimit),
  // Finer than a millisecond: what `reset` can tell.
  fc.constant(gcraLimit({ limit: 8000, windowMs: 1000, burst: 3 })),
);
const arrivals = fc.array(
  fc.record({
    sentMs: fc.nat(2000),
    decidedAfterUs: fc.nat(30_000),
    answeredAfterUs: fc.nat(30_000),
    cost: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 80, size: 'max' },
);

describe('recount of gcra', () => {
  it('finds nothing in what the model admits, however long requests were under way', () => {
    fc.assert(
      fc.property(policies, arrivals, (policy, requests) => {
        expect(judge(play(policy, requests))).toEqual(CLEAN);
      }),
      { numRuns: 500 },
    );
  });

  it('finds one admission planted among what the model admits, from its arrival time alone', () => {
    const spaced = fc
      .record({ limit: fc.integer({ min: 1, max: 100 }), burst: fc.nat(10) })
      .map(({ limit, burst }) => gcraLimit({ limit, burst, windowMs: 5000 }));
    fc.assert(
      fc.property(spaced, arrivals, fc.nat(), (policy, requests, pick) => {
        const charges = play(policy, requests);
        const copied = charges[pick % Math.max(1, charges.length)];
        if (copied === undefined) return;
        const verdict = judge([...charges, { ...copied, cost: 1 }]);
        expect(verdict.overAdmitted).toBeGreaterThan(0);
        expect(verdict.finding).toContain('admitted beyond');
      }),
    );
  });

  it('by time alone accepts the burst, then one an interval', () => {
    // 60 a minute, 5 more at once: six at 0 s, then one at each second.
    const spacing = { intervalUs: 1_000_000, capacity: 6 };
    const at = (ms: number) => ({ sentMs: T0 + ms, receivedMs: T0 + ms + 3, cost: 1 });
    const burst = Array.from({ length: 6 }, () => at(0));
    expect(countOverInTime([...burst, at(1000), at(2000)], spacing)).toBe(0);
    expect(countOverInTime([...burst, at(500)], spacing)).toBe(1);
    expect(countOverInTime([...burst, at(997)], spacing)).toBe(0);
    expect(countOverInTime([...burst, at(996)], spacing)).toBe(1);
    expect(countOverInTime([...burst, ...burst], spacing)).toBe(6);
  });

  it('by time alone finds something exactly when some stretch holds more than its bound', () => {
    const spans = fc.array(fc.record({ sentMs: fc.nat(60), tookMs: fc.nat(20) }), {
      maxLength: 25,
      size: 'max',
    });
    const spacings = fc.record({
      intervalUs: fc.integer({ min: 500, max: 20_000 }),
      capacity: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(spans, spacings, (list, { intervalUs, capacity }) => {
        const charges = list.map(({ sentMs, tookMs }) => ({ sentMs, receivedMs: sentMs + tookMs, cost: 1 }));
        const exceeds = charges.some(({ sentMs: from }) =>
          charges.some(({ receivedMs: until }) => {
            const inside = charges.filter(({ sentMs, receivedMs }) => sentMs >= from && receivedMs <= until);
            const bound = capacity + Math.floor(((until - from) * 1000) / intervalUs);
            return until >= from && inside.length > bound;
          }),
        );
        expect(countOverInTime(charges, { intervalUs, capacity }) > 0).toBe(exceeds);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['before anything could be used', T0],
    ['further ahead than the limit reaches', T0 + 60_000],
  ])('does not believe an arrival time that lies %s', (_name, resetMs) => {
    const [charge] = play(gcraLimit(), [{ sentMs: 0, decidedAfterUs: 0, answeredAfterUs: 0, cost: 1 }]);
    if (charge === undefined) throw new Error('nothing was admitted');
    expect(judge([{ ...charge, resetMs }]).contradictions).toBe(1);
  });
});
